// The driver against a stand-in for the suite: what it asks, in which order, and what becomes of a module that does not end well.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Suite, type Visit } from './api.ts';
import { driveModule } from './drive.ts';
import { LEFT, PLANS } from './plans.ts';
import { REASONS } from './reasons.ts';
import { isGood, type ModuleResult, resultsPage } from './results.ts';

const PLAN = 'oidcc-basic-certification-test-plan';

/** The suite, as far as the driver knows it: states by turns, addresses to open, a log. */
class FakeSuite {
  readonly #server: Server;
  readonly asked: string[] = [];
  readonly uploaded: string[] = [];
  states: object[] = [];
  visits: Visit[] = [];
  log: object[] = [];
  /** Answers these first. */
  failures: number[] = [];
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://suite');
      const what = `${request.method} ${pathname.replace('/api/', '')}`;
      const failure = this.failures.shift();
      if (failure !== undefined) return void response.writeHead(failure).end('not now');
      this.asked.push(what);
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk as Buffer));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (what.startsWith('POST log/')) this.uploaded.push(body);
        if (what.endsWith('/visit')) this.visits = this.visits.filter(({ url }) => url !== searchParams.get('url'));
        const answers: Record<string, () => unknown> = {
          'POST plan': () => ({ id: 'p', modules: [{ testModule: 'oidcc-server', variant: { response_type: 'code' } }] }),
          'POST runner': () => ({ id: 'm' }),
          'GET info/m': () => (this.states.length > 1 ? this.states.shift() : this.states[0]),
          'GET runner/m': () => ({ browser: { urlsWithMethod: this.visits } }),
          'GET log/m': () => this.log,
        };
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answers[what]?.() ?? {}));
      });
    });
  }
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  reset(): void {
    this.asked.length = 0;
    this.uploaded.length = 0;
    this.states = [];
    this.visits = [];
    this.log = [];
    this.failures = [];
  }
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('The driver of the conformance suite', () => {
  const fake = new FakeSuite();
  const opened: string[] = [];
  const person = {
    renew: async () => void opened.push('(a fresh browser)'),
    visit: async ({ url }: Visit) => {
      opened.push(url);
      return Buffer.from('a picture');
    },
  };
  before(() => fake.start());
  beforeEach(() => {
    fake.reset();
    opened.length = 0;
  });
  after(() => fake.stop());

  const drive = async (longestMs?: number) => {
    const suite = new Suite(`${fake.url}/`);
    const plan = await suite.createPlan(PLAN, {}, {});
    return driveModule({ suite, person, ...(longestMs ? { longestMs } : {}) }, plan, plan.modules[0]!);
  };

  it('starts a module, opens what it asks for in a fresh browser, and gives it the screenshots that it wants', async () => {
    fake.states = [
      { status: 'CONFIGURED' },
      { status: 'WAITING' },
      { status: 'RUNNING' },
      { status: 'FINISHED', result: 'REVIEW' },
    ];
    fake.visits = [{ url: 'https://localhost/openid/authorize?x=1', method: 'GET' }];
    fake.log = [{ upload: 'abc' }, { result: 'SUCCESS', msg: 'fine' }];
    assert.deepEqual(await drive(), { result: 'REVIEW', complaints: [] });
    assert.deepEqual(opened, ['(a fresh browser)', 'https://localhost/openid/authorize?x=1']);
    assert.equal(fake.asked.filter((one) => one === 'POST runner/m').length, 1, 'it is started once');
    assert.deepEqual(fake.uploaded, [`data:image/png;base64,${Buffer.from('a picture').toString('base64')}`]);
  });

  it('repeats what the suite complains of', async () => {
    fake.states = [{ status: 'FINISHED', result: 'FAILED' }];
    fake.log = [
      { result: 'FAILURE', src: 'CheckIt', msg: 'wrong', requirements: ['OIDCC-3'] },
      { result: 'INFO', msg: 'x' },
    ];
    assert.deepEqual(await drive(), { result: 'FAILED', complaints: ['CheckIt: wrong OIDCC-3'] });
  });

  it('stops a module that does not end, and says so', async () => {
    fake.states = [{ status: 'RUNNING' }];
    const { result, complaints } = await drive(1);
    assert.deepEqual([result, complaints], ['INTERRUPTED', ['it did not end in time']]);
    assert.ok(fake.asked.includes('DELETE runner/m'));
  });

  it('asks again where the suite is busy, and never twice for what changes something', async () => {
    const suite = new Suite(fake.url);
    fake.failures = [503, 502];
    await suite.state('m');
    fake.failures = [503];
    await assert.rejects(suite.createPlan(PLAN, {}, {}), /503/);
    fake.failures = [404];
    await assert.rejects(suite.state('m'), /404/);
  });
});

describe('The results', () => {
  const one = (result: ModuleResult['result'], module = 'oidcc-server', complaints: string[] = []): ModuleResult => ({
    plan: PLAN,
    variant: { response_type: 'code' },
    module,
    result,
    complaints,
  });

  it('are good when they passed, or when there is a reason for that very result', () => {
    assert.ok(isGood(one('PASSED')));
    assert.ok(isGood(one('SKIPPED', 'oidcc-scope-phone')));
    for (const bad of [one('FAILED'), one('WARNING'), one('FAILED', 'oidcc-scope-phone'), one('INTERRUPTED')])
      assert.ok(!isGood(bad));
  });

  it('have a line for each module, and one for each plan that is not run', () => {
    const page = resultsPage('on this machine', [one('PASSED'), one('FAILED', 'oidcc-userinfo-get', ['a | b\nc'])], LEFT);
    assert.match(page, /2 modules: 1 pass, or have a reason; 1 do not\./);
    assert.ok(page.includes(`| \`${PLAN}\` | response_type=code | \`oidcc-userinfo-get\` | FAILED | a \\| b c |`));
    for (const { plan } of LEFT) assert.ok(page.includes(`| \`${plan}\` |`));
  });

  it('are about plans that are run, or that are not, and never about both', () => {
    const names = [...PLANS, ...LEFT].map(({ plan }) => plan);
    assert.equal(new Set(names).size, names.length);
    for (const reasons of Object.values(REASONS))
      for (const [result, text] of Object.entries(reasons)) assert.ok(result !== 'PASSED' && text!.length > 20);
  });
});
