// Clients that never finish, never read or never say anything: others are served, memory and descriptors stay bounded, and everything is
// free again when they are gone. SLOW_IDLE sets the idle connections, SLOW_HOLD_SECONDS how long the clients stay.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BothServices } from './both-services.ts';
import { amount, percentile, report } from './report.ts';

const IDLE = amount('SLOW_IDLE', 300);
const HOLD_SECONDS = amount('SLOW_HOLD_SECONDS', 2);
/** Of each other kind. */
const OF_EACH = Math.ceil(IDLE / 10);
/** Much less than answers that nobody reads would need if they were kept. */
const MEMORY = 300_000_000;
const PATIENCE_MS = 120_000;
/** The service cuts a request that does not arrive, and an answer that nobody reads. */
const CUT_SECONDS = 70;

const DRIP_MS = 1_000;
const NOTICE_MS = 1_000;

interface SlowKind {
  readonly count: number;
  readonly first: string;
  /** Sent again and again. */
  readonly drip?: string;
  readonly stopsReading?: boolean;
}

const request = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** `large`: a request whose answer is larger than what the operating system stores for a client that does not read. */
const kindsOf = (large: string): Readonly<Record<string, SlowKind>> => ({
  'slow headers': { count: OF_EACH, first: 'GET /v3 HTTP/1.1\r\nHost: x\r\nX-Slow: ', drip: 'a' },
  'slow bodies': {
    count: OF_EACH,
    first: 'POST /v3/auth/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{',
    drip: ' ',
  },
  'slow chunks': {
    count: OF_EACH,
    first: 'POST /openid/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    drip: '1\r\na\r\n',
  },
  floods: { count: OF_EACH, first: request('/v3').repeat(2000), stopsReading: true },
  'no readers': { count: Math.ceil(OF_EACH / 10), first: large.repeat(8), stopsReading: true },
});

class Clients {
  readonly #sockets = new Set<Socket>();
  readonly #timers: NodeJS.Timeout[] = [];
  /** How often the service ended a connection. */
  ended = 0;

  get open(): number {
    return this.#sockets.size;
  }

  async add(url: string, { first = '', drip, stopsReading }: Partial<SlowKind> = {}): Promise<void> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.ended++;
      this.#sockets.delete(socket);
    });
    if (stopsReading) socket.pause();
    else socket.resume();
    await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', resolve));
    if (first !== '') socket.write(first);
    if (drip === undefined) return;
    const timer = setInterval(() => {
      // A client that is not read does not store what it cannot send either.
      if (socket.writable && socket.writableLength < 100_000) socket.write(drip);
    }, DRIP_MS);
    this.#timers.push(timer);
    socket.once('close', () => clearInterval(timer));
  }

  /** Those that stopped reading notice only now that they were cut. */
  async readAgain(): Promise<void> {
    for (const socket of this.#sockets) socket.resume();
    await sleep(NOTICE_MS);
  }

  leave(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('Slow clients', () => {
  let services: BothServices;
  const clients = new Clients();
  before(async () => {
    services = new BothServices('SQLite');
    await services.open();
  });
  after(async () => {
    clients.leave();
    await services.close();
  });

  const memory = () => services.metric('process_resident_memory_bytes');
  const descriptors = () => services.metric('process_open_fds');
  /** What others do meanwhile. Returns how long each took. */
  async function othersAreServed(rounds: number): Promise<number[]> {
    const times: number[] = [];
    const timed = async (work: Promise<{ status: number; text: string }>, status: number): Promise<void> => {
      const began = performance.now();
      const answer = await work;
      times.push(performance.now() - began);
      assert.equal(answer.status, status, answer.text);
    };
    for (let i = 0; i < rounds; i++) {
      const headers = { 'X-Subject-Token': services.token };
      await timed(services.ask('identity', 'GET', '/v3/auth/tokens', { headers }), 200);
      await timed(services.ask('wallet', 'GET', '/readyz'), 200);
      await timed(services.ask('identity', 'GET', '/v3/users'), 200);
      await timed(services.ask('identity', 'POST', '/v3/projects', { body: { project: { name: `p${Math.random()}` } } }), 201);
    }
    return times;
  }
  async function until(what: () => Promise<boolean>, why: () => string): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !(await what()); await sleep(100)) assert.ok(Date.now() < end, why());
  }

  it(`${IDLE} idle ones and ${OF_EACH} of each slow kind keep nobody from being served`, { timeout: 600_000 }, async () => {
    for (let i = 0; i < 20; i++)
      await services.must(201, 'POST', '/v3/projects', {
        body: { project: { name: `large-${i}`, description: 'x'.repeat(50_000) } },
      });
    const kinds = kindsOf(request('/v3/projects', `X-Auth-Token: ${services.token}\r\n`));
    const before = await othersAreServed(25);
    const [memoryBefore, descriptorsBefore] = [await memory(), await descriptors()];
    const { identity, wallet } = services.urls;
    for (let i = 0; i < IDLE; i++) await clients.add(i % 2 === 0 ? identity : wallet);
    for (const kind of Object.values(kinds)) for (let i = 0; i < kind.count; i++) await clients.add(identity, kind);
    const during: number[] = [];
    let [most, mostDescriptors] = [0, 0];
    for (const end = Date.now() + HOLD_SECONDS * 1000; Date.now() < end || during.length === 0; ) {
      during.push(...(await othersAreServed(5)));
      most = Math.max(most, await memory());
      mostDescriptors = Math.max(mostDescriptors, await descriptors());
    }
    const opened = IDLE + Object.values(kinds).reduce((sum, { count }) => sum + count, 0);
    await clients.readAgain();
    assert.ok(mostDescriptors <= descriptorsBefore + opened + 50, `${mostDescriptors} descriptors for ${opened} connections`);
    assert.ok(most < memoryBefore + MEMORY, `${most} bytes, and ${memoryBefore} before`);
    // Those whose answers the operating system took are idle, and are cut as such.
    if (HOLD_SECONDS >= CUT_SECONDS)
      await until(
        async () => clients.open === 0,
        () => `${clients.open} were not cut by the service`,
      );
    const cut = clients.ended;
    clients.leave();
    await until(
      async () => (await descriptors()) <= descriptorsBefore + 10,
      () => 'descriptors stay open',
    );
    assert.equal((await othersAreServed(1)).length, 4);
    const [mb, ms] = [(bytes: number) => Math.round(bytes / 1e6), (values: number[]) => percentile(values, 0.99).toFixed(0)];
    report(
      'slow clients',
      `${IDLE} idle, ${Object.entries(kinds)
        .map(([name, { count }]) => `${count} ${name}`)
        .join(
          ', ',
        )}, for ${HOLD_SECONDS} s: ${cut} of ${opened} cut by the service; memory ${mb(memoryBefore)} MB before, ${mb(most)} MB at most, ${mb(await memory())} MB after; descriptors ${descriptorsBefore}, ${mostDescriptors}, ${await descriptors()}; requests of others at the 99th percentile ${ms(before)} ms before, ${ms(during)} ms meanwhile`,
    );
  });
});

describe('More connections than descriptors', () => {
  const FILES = 500;
  const OPENED = 700;
  let services: BothServices;
  const clients = new Clients();
  before(async () => {
    services = new BothServices('SQLite');
    const runtime = join(services.folder, 'runtime');
    writeFileSync(runtime, `#!/bin/sh\nulimit -n ${FILES}\nexec '${process.execPath}' "$@"\n`);
    chmodSync(runtime, 0o755);
    services.runtime = runtime;
    await services.open();
  });
  after(async () => {
    clients.leave();
    await services.close();
  });

  it('close the ones that do nothing, and serve the others', async () => {
    for (let i = 0; i < OPENED; i++) await clients.add(services.urls.identity);
    for (let i = 0; i < 20; i++) {
      await services.must(200, 'GET', '/v3/auth/tokens', { headers: { 'X-Subject-Token': services.token } });
      await services.must(201, 'POST', '/v3/projects', { body: { project: { name: `full-${i}` } } });
    }
    assert.equal((await services.ask('wallet', 'GET', '/readyz')).status, 200);
    for (const end = Date.now() + PATIENCE_MS; clients.open > FILES; await sleep(20))
      assert.ok(Date.now() < end, 'too many stay');
    const descriptors = await services.metric('process_open_fds');
    assert.ok(descriptors < FILES, `${descriptors} descriptors of ${FILES}`);
    assert.match(services.running!.stdout, /too many connections; idle ones are closed/);
    report(
      'slow clients',
      `${OPENED} idle connections to a process with ${FILES} descriptors: ${descriptors} used, others served`,
    );
  });
});
