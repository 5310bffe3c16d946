// The driver against a stand-in for the suite: what it asks, in which order, and what becomes of a module that does not end well.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Suite, type Visit } from './api.ts';
import { type Actor, driveModule } from './drive.ts';
import { LEFT, PLANS } from './plans.ts';
import { REASONS } from './reasons.ts';
import { isGood, type ModuleResult, type PlanResult, resultsPage, titlesOf } from './results.ts';

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
          'GET runner/m': () => ({ browser: { urlsWithMethod: this.visits }, exposed: { at: 'https://suite/authorize' } }),
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
  const actor: Actor = {
    renew: async () => void opened.push('(a fresh browser)'),
    visit: async ({ url }: Visit) => {
      opened.push(url);
      return { 'sign-in': Buffer.from('a picture'), last: Buffer.from('the end') };
    },
  };
  before(() => fake.start());
  beforeEach(() => {
    fake.reset();
    opened.length = 0;
  });
  after(() => fake.stop());

  const drive = async (longestMs?: number, more: Partial<Actor> = {}) => {
    const suite = new Suite(`${fake.url}/`);
    const plan = await suite.createPlan(PLAN, {}, {});
    return driveModule({ suite, actor: { ...actor, ...more }, ...(longestMs ? { longestMs } : {}) }, plan, plan.modules[0]!);
  };

  it('starts a module, opens what it asks for in a fresh browser, and gives it the screenshots that it wants', async () => {
    fake.states = [
      { status: 'CONFIGURED' },
      { status: 'WAITING' },
      { status: 'RUNNING' },
      { status: 'FINISHED', result: 'REVIEW' },
    ];
    fake.visits = [{ url: 'https://localhost/openid/authorize?x=1', method: 'GET' }];
    fake.log = [
      { upload: 'abc', src: 'ExpectSecondLoginPage' },
      { upload: 'd', src: 'ExpectErrorPage' },
      { result: 'SUCCESS', msg: 'fine' },
    ];
    assert.deepEqual(await drive(), { result: 'REVIEW', complaints: [] });
    assert.deepEqual(opened, ['(a fresh browser)', 'https://localhost/openid/authorize?x=1']);
    assert.equal(fake.asked.filter((one) => one === 'POST runner/m').length, 1, 'it is started once');
    const given = ['a picture', 'the end'].map((text) => `data:image/png;base64,${Buffer.from(text).toString('base64')}`);
    assert.deepEqual(fake.uploaded, given);
  });

  it('gives no screenshot of a page that is not of the service', async () => {
    fake.states = [{ status: 'WAITING' }, { status: 'FINISHED', result: 'PASSED' }];
    fake.visits = [{ url: 'https://localhost/openid/authorize', method: 'GET' }];
    fake.log = [{ upload: 'abc', src: 'ExpectErrorPage' }];
    assert.equal((await drive(undefined, { visit: async () => ({ 'sign-in': Buffer.from('x') }) })).result, 'PASSED');
    assert.deepEqual(fake.uploaded, []);
  });

  it('prepares what has to be done before a start, and comes once where the suite waits', async () => {
    fake.states = [
      { status: 'CONFIGURED' },
      { status: 'WAITING' },
      { status: 'WAITING' },
      { status: 'FINISHED', result: 'PASSED' },
    ];
    const done: string[] = [];
    const begin = async (module: string, { at }: Readonly<Record<string, string>>) => {
      done.push(`${module} at ${at}`);
      return {};
    };
    await drive(undefined, { prepare: async (module) => void done.push(`before ${module}`), begin });
    assert.deepEqual(done, ['before oidcc-server', 'oidcc-server at https://suite/authorize']);
    assert.ok(fake.asked.indexOf('POST runner/m') > 0);
  });

  it('answers what the suite waits for, as often as its log says so', async () => {
    const waiting = { status: 'WAITING' };
    fake.states = [waiting, waiting, waiting, waiting, { status: 'FINISHED', result: 'PASSED' }];
    fake.log = [{ src: 'WaitForOffer' }, { src: 'CheckIt' }, { src: 'WaitForCode' }, { src: 'WaitForOffer' }];
    const given: string[] = [];
    const say =
      (what: string) =>
      async ({ at }: Readonly<Record<string, string>>) =>
        void given.push(`${what} at ${at}`);
    await drive(undefined, { answers: { WaitForOffer: say('an offer'), WaitForCode: say('a code') } });
    assert.deepEqual(
      given.map((one) => one.split(' at ')[0]),
      ['an offer', 'a code', 'an offer'],
    );
    assert.ok(given.every((one) => one.endsWith('https://suite/authorize')));
  });

  it('goes by what the suite says where somebody could not go on', async () => {
    const visit = async (): Promise<never> => {
      throw new Error('the page is gone');
    };
    fake.visits = [{ url: 'https://localhost/openid/authorize', method: 'GET' }];
    fake.states = [{ status: 'WAITING' }, { status: 'FINISHED', result: 'PASSED' }];
    assert.equal((await drive(undefined, { visit })).result, 'PASSED');
    fake.visits = [{ url: 'https://localhost/openid/authorize', method: 'GET' }];
    fake.states = [{ status: 'WAITING' }];
    assert.deepEqual(await drive(undefined, { visit }), {
      isOurs: true,
      result: 'INTERRUPTED',
      complaints: ['the driver: the page is gone'],
    });
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
    variant: { response_type: 'code', response_mode: 'default' },
    module,
    result,
    complaints,
  });
  const variant = { response_type: 'code' };
  const titles = titlesOf([
    { plan: PLAN, variant },
    { plan: 'second', variant: {} },
    { plan: 'third', variant: {} },
  ]);
  const page = (before: string, ...results: PlanResult[]) => resultsPage(before, results, titles, LEFT);

  it('are good when they passed, or when there is a reason for that very result', () => {
    assert.ok(isGood(PLAN, one('PASSED')));
    assert.ok(isGood(PLAN, one('SKIPPED', 'oidcc-scope-phone')));
    for (const bad of [one('FAILED'), one('WARNING'), one('FAILED', 'oidcc-scope-phone'), one('INTERRUPTED')])
      assert.ok(!isGood(PLAN, bad));
  });

  it('of a module are not good in one plan for a reason of another one', () => {
    const failed = one('FAILED', 'oidcc-discovery-endpoint-verification', ['not there']);
    assert.ok(isGood('oidcc-dynamic-certification-test-plan', failed));
    assert.ok(!isGood('oidcc-config-certification-test-plan', failed));
    assert.match(page('', { plan: PLAN, variant, modules: [failed] }), /\| FAILED \| not there \|/);
  });

  it('have a line for each module, counts, and one for each plan that is not run', () => {
    const modules = [one('PASSED'), one('INTERRUPTED', 'oidcc-userinfo-get', ['a | b\nc'])];
    const text = page('', { plan: PLAN, variant, modules });
    assert.ok(text.includes(`| \`${PLAN}\`: response_type=code | 1 | 0 | 0 | 0 | 1 |`));
    assert.ok(text.includes('| `oidcc-userinfo-get` | response_mode=default | INTERRUPTED | a \\| b c |'));
    assert.ok(text.includes('| `second` | not yet |'));
    for (const { plan, variants } of LEFT) assert.ok(text.includes(`| \`${plan}\`${variants ? `: ${variants}` : ''} |`));
  });

  it('replace those of the same plan and variant, and keep the others', () => {
    const first = page(
      '',
      { plan: PLAN, variant, modules: [one('FAILED')] },
      { plan: 'third', variant: {}, modules: [one('PASSED')] },
    );
    const text = page(first, { plan: PLAN, variant, modules: [one('PASSED')] });
    assert.ok(text.includes(`| \`${PLAN}\`: response_type=code | 1 | 0 | 0 | 0 | 0 |`));
    assert.ok(text.includes('| `third` | 1 | 0 | 0 | 0 | 0 |'));
    assert.equal(text.split('## `third`').length, 2);
    assert.ok(!text.includes('FAILED |'));
    assert.equal(page(text), text, 'nothing new');
  });

  it('are about plans that are run, or that are not, and never about both', () => {
    const titled = titlesOf(PLANS);
    assert.equal(new Set(titled).size, titled.length);
    const run = new Set(PLANS.map(({ plan }) => plan));
    for (const { plan, variants } of LEFT) assert.equal(run.has(plan), variants !== undefined, plan);
    for (const key of Object.keys(REASONS)) if (key.includes('/')) assert.ok(run.has(key.split('/')[0]!), key);
    for (const reasons of Object.values(REASONS))
      for (const [result, text] of Object.entries(reasons)) assert.ok(result !== 'PASSED' && text!.length > 20);
  });
});
