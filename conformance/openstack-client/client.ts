// Runs commands of the OpenStack client and records their results.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnvironment, type RunningService } from '../support/service.ts';

export interface CommandResult {
  readonly command: string;
  readonly expectation: string;
  readonly ok: boolean;
  /** Why it failed: for the terminal, not for the table. */
  readonly detail: string;
}

/** Values for placeholders in a command: `endpoint show {id}`. The table shows the placeholder. */
export type PlaceholderValues = Readonly<Record<string, string>>;

interface FinishedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Output is untyped; the checks assert what it must contain.
export type CheckOutput = (answer: any) => void;

/** The names in a list. The client's column names begin with a capital letter. */
export const names = (list: readonly { Name: string }[]): string[] => list.map(({ Name }) => Name).sort();

const TIMEOUT_MS = 60_000;
/** Words, or words between single quotes. */
const WORDS = /'[^']*'|\S+/g;

function wordsOf(command: string, values: PlaceholderValues): string[] {
  return (command.match(WORDS) ?? []).map((word) =>
    word.replace(/^'(.*)'$/, '$1').replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? assert.fail(`no value for {${key}}`)),
  );
}

export class OpenStackClient {
  readonly rows: CommandResult[] = [];
  readonly #service: RunningService;

  constructor(service: RunningService) {
    this.#service = service;
  }

  /** The configuration file for `--os-cloud`. */
  get cloudsFile(): string {
    return join(this.#service.folder, 'clouds.yaml');
  }

  get authUrl(): string {
    return `${this.#service.url}/v3`;
  }

  /** A command that prints an object or a list. Returns it; an empty object when the command failed. */
  async read(command: string, expectation: string, check: CheckOutput, values: PlaceholderValues = {}): Promise<any> {
    let answer: unknown = {};
    await this.#step(command, expectation, async () => {
      const { code, stdout, stderr } = await this.#openstack([...wordsOf(command, values), '-f', 'json']);
      assert.equal(code, 0, stderr);
      answer = JSON.parse(stdout);
      check(answer);
    });
    return answer;
  }

  /** A command that prints nothing, or plain text. */
  run(command: string, expectation: string, values: PlaceholderValues = {}, output?: RegExp): Promise<void> {
    return this.#step(command, expectation, async () => {
      const { code, stdout, stderr } = await this.#openstack(wordsOf(command, values));
      assert.equal(code, 0, stderr);
      if (output) assert.match(stdout + stderr, output);
    });
  }

  /** A command that the service must refuse, with these words in the client's output. */
  refused(command: string, expectation: string, words: RegExp, values: PlaceholderValues = {}): Promise<void> {
    return this.#step(command, expectation, async () => {
      const { code, stdout, stderr } = await this.#openstack(wordsOf(command, values));
      assert.notEqual(code, 0, `it succeeded: ${stdout}`);
      assert.match(stderr, words);
    });
  }

  async #step(command: string, expectation: string, work: () => Promise<void>): Promise<void> {
    const error = await work().then(
      () => undefined,
      (reason: Error) => reason,
    );
    this.rows.push({ command, expectation, ok: !error, detail: error?.message ?? '' });
    console.log(`${error ? 'FAILED' : 'ok    '} openstack ${command}`);
    if (error) console.log(error.message.replace(/^/gm, '       '));
  }

  /** The administrator in the project admin, unless the command names another user or another scope by global options. */
  #openstack(words: readonly string[]): Promise<FinishedCommand> {
    const { url, adminPassword, folder } = this.#service;
    const ownUser = ['--os-username', '--os-auth-type', '--os-cloud'].some((option) => words.includes(option));
    const ownScope = ownUser || words.includes('--os-domain-id') || words.includes('--os-system-scope');
    const env = {
      ...cleanEnvironment(),
      HOME: folder,
      OS_CLIENT_CONFIG_FILE: this.cloudsFile,
      OS_AUTH_URL: `${url}/v3`,
      OS_IDENTITY_API_VERSION: '3',
      ...(ownUser ? {} : { OS_USERNAME: 'admin', OS_PASSWORD: adminPassword, OS_USER_DOMAIN_ID: 'default' }),
      ...(ownScope ? {} : { OS_PROJECT_NAME: 'admin', OS_PROJECT_DOMAIN_ID: 'default' }),
    };
    return new Promise((resolve) => {
      execFile('openstack', [...words], { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) || 1 : 0, stdout, stderr });
      });
    });
  }
}
