// Starts the peers, each in its own process, and a wallet that trusts them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DatabaseKind } from '../support/api.ts';
import { TestWallet, type WalletUser } from '../support/wallet.ts';

export const VCI = '/api/v1/wallet/oid4vci';
export const VP = '/api/v1/wallet/oid4vp';

const START_MS = 30_000;

/** The programs, and the environment variable with their settings. */
const SETTINGS = {
  'credo-issuer': 'CREDO_ISSUER',
  'credo-holder': 'CREDO_HOLDER',
  'credo-verifier': 'CREDO_VERIFIER',
  'sphereon-client': 'SPHEREON_CLIENT',
  'sphereon-issuer': 'SPHEREON_ISSUER',
  'authorization-server': 'AUTHORIZATION_SERVER',
} as const;

export type Program = keyof typeof SETTINGS;

export class Peer {
  readonly #program: Program;
  readonly #settings: object;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #control = '';
  address = '';
  /** The root certificate of the peer, if it has one. */
  root: string | undefined;

  /** `environment`: what it needs beside its settings. */
  constructor(program: Program, settings: object = {}, environment: Readonly<Record<string, string>> = {}) {
    this.#program = program;
    this.#settings = settings;
    this.#environment = environment;
  }

  async start(): Promise<void> {
    const path = fileURLToPath(new URL(`./${this.#program}.ts`, import.meta.url));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path], {
      env: { ...process.env, ...this.#environment, [SETTINGS[this.#program]]: JSON.stringify(this.#settings) },
      stdio: ['ignore', 'pipe', process.env.PEER_LOG ? 'inherit' : 'pipe'],
    });
    this.#child = child;
    // Keeps only the last output, for the error message if the peer does not start.
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-5000);
    });
    // Ends the peer even if the test process exits without running its hooks.
    process.once('exit', () => child.kill());
    const late = AbortSignal.timeout(START_MS);
    const [line] = await Promise.race([
      once(createInterface(child.stdout!), 'line', { signal: late }),
      once(child, 'exit').then(() => Promise.reject(new Error(`${this.#program} did not start: ${said}`))),
    ]);
    const { address, control, root } = JSON.parse(line);
    Object.assign(this, { address, root });
    this.#control = control;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<any> {
    const init = body ? { method, body: JSON.stringify(body) } : { method };
    const response = await fetch(this.#control + path, init);
    const answer: any = await response.json();
    if (!response.ok) throw new Error(`${this.#program} ${path}: ${answer.error}`);
    return answer;
  }

  tell = (path: string, about: object = {}) => this.#ask('POST', path, about);
  ask = (path: string) => this.#ask('GET', path);
  session = (id: string) => this.ask(`/sessions/${id}`);

  /** Waits until the session reaches a state. Peers update it after they have answered. */
  async settled(id: string, isSettled: (session: any) => boolean): Promise<any> {
    for (const until = Date.now() + 20_000; ; await sleep(20)) {
      const session = await this.session(id);
      if (isSettled(session) || Date.now() > until) return session;
    }
  }
}

interface WalletOptions {
  readonly kind?: DatabaseKind;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Defines a suite with its own wallet, which trusts the peers unless its settings say otherwise. */
export type WalletSuite = (name: string, options: WalletOptions, define: (wallet: TestWallet) => void) => void;

/** Starts the peers once for all wallets of a suite, because that takes a second or two. All processes are stopped at the end. */
export function onPeers(name: string, peers: readonly Peer[], define: (withWallet: WalletSuite) => void): void {
  describe(name, () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-peers-'));
    const anchors = join(folder, 'anchors.pem');
    before(async () => {
      await Promise.all(peers.map((peer) => peer.start()));
      writeFileSync(anchors, peers.map(({ root }) => root ?? '').join('\n'));
    });
    after(async () => {
      await Promise.all(peers.map((peer) => peer.stop()));
      rmSync(folder, { recursive: true, force: true });
    });
    define((what, { kind = 'SQLite', settings }, tests) =>
      describe(`${what} (${kind})`, () => {
        const wallet = new TestWallet(kind, { settings: { GATEHOUSE_WALLET_TRUST_ANCHORS: anchors, ...settings } });
        before(() => wallet.start());
        after(() => wallet.stop());
        tests(wallet);
      }));
  });
}

/** The credentials of a person, from the API. */
export const credentialsOf = async (person: WalletUser): Promise<any[]> => (await person.get('/api/v1/wallet/credentials')).body;

export const stepsOf = async (person: WalletUser, exchangeId: string): Promise<{ step: string; detail?: string }[]> =>
  (await person.get(`/api/v1/wallet/exchanges/${exchangeId}`)).body.steps;

/** A transaction code that is not this one. */
export const otherThan = (code: string): string => (code === '000000' ? '000001' : '000000');

/** Follows redirects with cookies until an address starts with `until`. */
export async function browse(from: string, until: string): Promise<string> {
  const jar = new Map<string, string>();
  for (let url = from; ; ) {
    if (url.startsWith(until)) return url;
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookies ? { Cookie: cookies } : {} });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', ...value] = line.split(';', 1)[0]!.split('=');
      jar.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`the browser stopped at ${url}: ${response.status} ${await response.text()}`);
    url = new URL(location, url).href;
  }
}
