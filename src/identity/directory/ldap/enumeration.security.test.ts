// Nobody learns who is in a directory, nor by a directory who has an account elsewhere: what it is asked, and what becomes of an answer
// that does not come, are the same for known and unknown accounts.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { uniqueName } from '../../../../test/support/api.ts';
import { DirectoryDomain } from '../../../../test/support/directory-domain.ts';
import { FakeLdap } from '../../../../test/support/fake-ldap.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { dnOf, PEOPLE, READER } from '../../../../test/support/slapd.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const WRONG = 'a password that is somebody’s elsewhere';
const RIGHT = 'right';

describe('A directory tells nobody who has an account', () => {
  const alice = { dn: dnOf('alice'), attributes: { uid: ['alice'], sn: ['alice'] } };
  const passwords: string[] = [];
  const fake = new FakeLdap({
    search: ({ base, request }) => (base === PEOPLE && request.includes('alice') ? [alice] : []),
    isPassword: (dn, password) => {
      if (dn !== READER.dn) passwords.push(`${dn === alice.dn ? 'alice' : 'nobody'} ${password}`);
      return dn === READER.dn || (dn === alice.dn && password === RIGHT);
    },
  });
  let url = '';
  let isAway = false;
  before(async () => {
    url = await fake.listen();
  });
  after(() => fake.close());
  const domain = new DirectoryDomain('SQLite', {
    url: () => url,
    rateLimits: true,
    trustedProxies: ['127.0.0.1'],
    ldap: { page_size: '0', connection_timeout: '1', pool_retry_max: '1' },
  });
  const { api } = domain;
  let local: { id: string; name: string };
  let known: { id: string; name: string };
  let party: RelyingParty;
  before(async () => {
    const made = await api.make('user', { name: uniqueName('local'), password: RIGHT });
    local = { id: made.id, name: made.name };
    assert.equal((await domain.logIn('alice', RIGHT)).status, 201);
    known = { id: domain.idOf('alice'), name: 'alice' };
    party = await RelyingParty.make(api);
  });

  let addresses = 0;
  type Ask = (headers: Record<string, string>) => Promise<{ status: number; text: string }>;

  /** What happens when something is asked some times: answers, and questions to the directory. */
  async function course(ask: Ask, name: string, times = 13) {
    const headers = { 'X-Forwarded-For': `203.0.113.${++addresses}` };
    const seen: string[] = [];
    for (let at = 0; at < times; at++) {
      const from = fake.operations.length;
      const { status, text } = await ask(headers);
      const operations = fake.operations.slice(from).filter((one) => one !== `bind ${READER.dn}`);
      const asked = operations.map((one) => one.split(' ')[0]).join(' ');
      seen.push(`${status} ${/role="alert">([^<]*)/.exec(text)?.[1] ?? text.replaceAll(name, '#')} ${asked}`);
    }
    return seen.map((one) => one.replaceAll(/"req-[\w-]+"/g, ''));
  }

  const byId = (id: string): Ask => {
    const identity = { methods: ['password'], password: { user: { id, password: WRONG } } };
    return (headers) => api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
  };
  const change = (id: string): Ask => {
    const user = { original_password: WRONG, password: 'another' };
    return (headers) => api.post(`/v3/users/${id}/password`, { user }, { token: null, headers });
  };
  const onPage = async (name: string, typed: string, step: string): Promise<Ask> => {
    const browser = new TestBrowser(api);
    const start = await browser.go((await party.ask()).url);
    const form = start.forms.find(({ fields }) => fields.step === 'password')!;
    const fresh = { new_password: 'another', new_password_again: 'another' };
    const fields = { ...form.fields, ...fresh, step, name, domain: typed, password: WRONG };
    return (headers) => browser.send(new URL(form.action, start.url), fields, headers);
  };

  async function cannotBeTold(asks: readonly (readonly [name: string, ask: Ask])[]): Promise<string[]> {
    const courses: string[][] = [];
    api.clock.hold();
    for (const [name, ask] of asks) courses.push(await course(ask, name));
    for (const other of courses.slice(1)) assert.deepEqual(other, courses[0]);
    // Further than any pause, and than what is remembered of servers that failed.
    api.clock.advance(3600);
    return courses[0]!;
  }

  const unknown = () => uniqueName('nobody');
  const onPages = async (typed: string, names: readonly string[]): Promise<void> => {
    for (const step of ['password', 'new-password']) {
      const asks: (readonly [string, Ask])[] = [];
      for (const name of names) asks.push([name, await onPage(name, typed, step)]);
      const [first] = await cannotBeTold(asks);
      assert.match(first!, isAway ? /^503 / : /^401 .*not right.* search.* bind$/s);
    }
  };
  async function everywhere(): Promise<void> {
    passwords.length = 0;
    await cannotBeTold([known.id, local.id, unknown()].map((id) => [id, byId(id)]));
    await cannotBeTold([known.id, local.id, unknown()].map((id) => [id, change(id)]));
    await onPages('', [known.name, local.name, unknown()]);
    assert.ok(!passwords.includes(`nobody ${WRONG}`), 'it gets no password that was not typed for it');
    await onPages(domain.name, [known.name, unknown()]);
  }

  it('by what it is asked', async () => {
    await everywhere();
    assert.ok(passwords.includes(`alice ${WRONG}`));
    const before = fake.operations.length;
    assert.equal((await api.authenticate({ id: local.id, password: RIGHT })).status, 201);
    assert.equal(fake.operations.length, before, 'it is not asked about those who have the right password');
  });

  it('by being away, and who has the right password elsewhere does not notice', async () => {
    fake.close();
    isAway = true;
    await everywhere();
    assert.equal((await api.authenticate({ id: local.id, password: RIGHT })).status, 201);
  });
});
