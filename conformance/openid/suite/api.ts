// The HTTP API of the OpenID Foundation's conformance suite: plans, their modules, what they wait for, and how they ended.
import { setTimeout as sleep } from 'node:timers/promises';

/** By the names of the suite; `Record` in a plan, or in a module of it. */
export type Variant = Readonly<Record<string, string>>;

export interface SuiteModule {
  readonly testModule: string;
  readonly variant?: Variant;
}

export interface SuitePlan {
  readonly id: string;
  readonly modules: readonly SuiteModule[];
}

/** Where a person, or a program in their place, has to go. */
export interface Visit {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

export interface ModuleState {
  readonly status: 'CREATED' | 'CONFIGURED' | 'RUNNING' | 'WAITING' | 'FINISHED' | 'INTERRUPTED' | 'UNKNOWN';
  /** Only when it has ended. */
  readonly result?: 'PASSED' | 'WARNING' | 'REVIEW' | 'SKIPPED' | 'FAILED' | 'UNKNOWN';
}

/** How a module ended, or that it did not. */
export type Outcome = NonNullable<ModuleState['result']> | 'INTERRUPTED' | 'NOT STARTED' | 'NOT APPLICABLE';

interface LogEntry {
  readonly result?: string;
  readonly msg?: string;
  readonly src?: string;
  /** The name of a screenshot that is asked for. */
  readonly upload?: string;
  readonly requirements?: readonly string[];
}

export interface WantedScreenshot {
  readonly placeholder: string;
  /** Of the page to sign in at, or of the one at which the browser stays. */
  readonly page: 'sign-in' | 'last';
}

/** What was seen on the way: of pages of the service only. A browser that was sent back to the suite has no last one. */
export type Screenshots = Partial<Record<WantedScreenshot['page'], Buffer>>;

const AGAIN_MS = 500;
const TRIES = 5;

export class Suite {
  readonly url: string;
  readonly #token: string | undefined;

  /** `token`: of its API. A suite in development mode needs none. */
  constructor(url: string, token?: string) {
    this.url = url.replace(/\/$/, '');
    this.#token = token;
  }

  async #ask<T>(method: string, path: string, query: Record<string, string> = {}, body?: string): Promise<T> {
    const headers = {
      'Content-Type': 'application/json',
      ...(this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` }),
    };
    const url = `${this.url}/api/${path}?${new URLSearchParams(query)}`;
    for (let tries = 1; ; tries++) {
      const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) }).catch((error: unknown) => {
        // Only what changes nothing is asked again.
        if (tries === TRIES || method !== 'GET') throw error;
      });
      const text = answer && (await answer.text());
      if (answer?.ok) return (text === '' ? undefined : JSON.parse(text!)) as T;
      if (answer && (answer.status < 500 || method !== 'GET' || tries === TRIES))
        throw new Error(`${method} ${path}: ${answer.status} ${text!.slice(0, 500)}`);
      await sleep(AGAIN_MS);
    }
  }

  createPlan(planName: string, variant: Variant, config: object): Promise<SuitePlan> {
    return this.#ask('POST', 'plan', { planName, variant: JSON.stringify(variant) }, JSON.stringify(config));
  }

  /** Starts it, too, except for the few modules that wait to be told. */
  async createModule(plan: SuitePlan, { testModule, variant }: SuiteModule): Promise<string> {
    const query = { test: testModule, plan: plan.id, ...(variant ? { variant: JSON.stringify(variant) } : {}) };
    return (await this.#ask<{ id: string }>('POST', 'runner', query)).id;
  }

  start = (id: string): Promise<unknown> => this.#ask('POST', `runner/${id}`);
  stop = (id: string): Promise<unknown> => this.#ask('DELETE', `runner/${id}`);
  state = (id: string): Promise<ModuleState> => this.#ask('GET', `info/${id}`);

  /** The addresses that a browser has to open now, and values that the module shows, such as its own endpoints. */
  async asked(id: string): Promise<{ visits: readonly Visit[]; exposed: Readonly<Record<string, string>> }> {
    const { browser, exposed = {} } = await this.#ask<{
      browser?: { urlsWithMethod?: readonly Visit[]; urls?: readonly string[] };
      exposed?: Record<string, string>;
    }>('GET', `runner/${id}`);
    const visits = browser?.urlsWithMethod ?? (browser?.urls ?? []).map((url): Visit => ({ url, method: 'GET' }));
    return { visits, exposed };
  }

  visited = (id: string, url: string): Promise<unknown> => this.#ask('POST', `runner/browser/${id}/visit`, { url });

  log = (id: string): Promise<readonly LogEntry[]> => this.#ask('GET', `log/${id}`);

  /** Screenshots that a person has to look at before the module counts as passed. */
  async wantedScreenshots(id: string): Promise<WantedScreenshot[]> {
    return (await this.log(id)).flatMap(({ upload, src = '' }) =>
      upload === undefined ? [] : [{ placeholder: upload, page: src.includes('Login') ? 'sign-in' : 'last' }],
    );
  }

  upload = (id: string, placeholder: string, png: Buffer): Promise<unknown> =>
    this.#ask('POST', `log/${id}/images/${placeholder}`, {}, `data:image/png;base64,${png.toString('base64')}`);

  /** What was not as it should be, in the words of the suite: the reason for a line of the results. */
  async complaints(id: string): Promise<string[]> {
    return (await this.log(id)).flatMap(({ result, src = '', msg = '', requirements = [] }) =>
      result === 'FAILURE' || result === 'WARNING' ? [`${src}: ${msg} ${requirements.join(' ')}`.trim()] : [],
    );
  }
}
