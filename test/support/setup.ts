// Plans and applies set-up files, for tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSetup } from '../../src/setup/document.ts';
import {
  apply,
  type Client,
  connect,
  createSecrets,
  exportSetup,
  plan,
  planText,
  type SetupPlan,
} from '../../src/setup/index.ts';
import type { TestApi } from './api.ts';

export interface SetupOptions {
  readonly prune?: boolean;
  readonly sendSecrets?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly token?: string;
}

/** An operator with a folder for secrets. */
export class Operator {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-setup-'));
  readonly #api: TestApi;

  constructor(api: TestApi) {
    this.#api = api;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  client(token = this.#api.adminToken): Promise<Client> {
    return connect({ url: this.#api.url, token, outboundAllow: [] });
  }

  secrets(options: SetupOptions = {}) {
    return createSecrets(this.folder, options.env ?? {});
  }

  async plan(text: string, options: SetupOptions = {}): Promise<SetupPlan> {
    const { prune = false, sendSecrets = false, token } = options;
    const secrets = this.secrets(options);
    return plan(await this.client(token), parseSetup('setup.yaml', text), { prune, sendSecrets, secrets });
  }

  /** What would be changed, as text. Throws if it cannot be applied. */
  async shows(text: string, options: SetupOptions = {}): Promise<string> {
    const planned = await this.plan(text, options);
    if (planned.problems.length > 0) throw new Error(planned.problems.join('\n'));
    return planText(planned);
  }

  async problems(text: string, options: SetupOptions = {}): Promise<string> {
    return (await this.plan(text, options)).problems.join('\n');
  }

  /** Returns how many changes were made. */
  async apply(text: string, options: SetupOptions = {}): Promise<number> {
    const planned = await this.plan(text, options);
    if (planned.problems.length > 0) throw new Error(planned.problems.join('\n'));
    let count = 0;
    await apply(planned, this.secrets(options), () => void count++);
    return count;
  }

  async export(users = false): Promise<string> {
    return (await exportSetup(await this.client(), users)).text;
  }
}
