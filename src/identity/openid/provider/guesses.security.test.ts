// Guesses of client secrets and of passwords: neither blocks the other, and the limits do not reveal who exists.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiAnswer, onUsualDatabase, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

let addresses = 0;
const newAddress = (): string => `203.0.${++addresses >> 8}.${addresses & 255}`;

onUsualDatabase(
  'Guesses around applications',
  (api) => {
    api.clock.hold();

    const logIn = (user: Record<string, unknown>, address: string): Promise<ApiAnswer> =>
      api.post(
        '/v3/auth/tokens',
        { auth: { identity: { methods: ['password'], password: { user } } } },
        { token: null, headers: { 'X-Forwarded-For': address } },
      );

    it('strangers who type wrong passwords at a portal do not stop what the portal asks with its secret', async () => {
      const portal = '198.51.100.7';
      const { id, secret } = await makeApplication(api);
      const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
      const ask = async (path: string, body: Record<string, string>, headers: Record<string, string>) =>
        (
          await fetch(`${api.url}${path}`, {
            method: 'POST',
            headers: { ...headers, 'X-Forwarded-For': portal },
            body: new URLSearchParams(body),
          })
        ).status;
      const refresh = { grant_type: 'refresh_token', refresh_token: 'x' };
      for (let i = 0; i < 100; i++)
        await logIn({ name: uniqueName('nobody'), domain: { id: 'default' }, password: 'wrong' }, portal);
      const person = { name: uniqueName('nobody'), domain: { id: 'default' }, password: 'wrong' };
      assert.equal((await logIn(person, portal)).status, 429);
      assert.equal(await ask('/openid/token', refresh, basic), 400);
      assert.equal(await ask('/openid/introspect', { token: 'x' }, basic), 200);
      const inBody = { client_id: id, client_secret: secret };
      assert.notEqual(await ask('/openid/token', { ...refresh, ...inBody }, {}), 429);
      assert.equal(await ask('/openid/introspect', { token: 'x', ...inBody }, {}), 200);
    });

    for (const domain of ['Default', 'default', ''])
      it(`counts of the page (domain "${domain}") and of the API do not tell who exists`, async () => {
        const probe = async (name: string, step: 'password' | 'new-password', address: string) => {
          const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
          const { action, fields } = (await browser.go((await party.ask()).url)).forms.find((f) => f.fields.step === 'password')!;
          const typed = { ...fields, step, name, domain, password: 'wrong', new_password: 'x', new_password_again: 'x' };
          for (let i = 0; i < 10; i++) await browser.send(action, typed, { 'X-Forwarded-For': address });
          return (await logIn({ name, domain: { id: 'default' }, password: 'wrong' }, address)).status;
        };
        for (const step of ['password', 'new-password'] as const) {
          const { name } = await makeUser(api);
          assert.equal(await probe(name, step, newAddress()), 429);
          assert.equal(await probe(uniqueName('nobody'), step, newAddress()), 429);
        }
      });

    describe('at a name without a domain', () => {
      /** Only a user of another domain has the name, or nobody: both must behave the same. */
      async function sameForBoth(probe: (name: string, domainId: string) => Promise<unknown>): Promise<unknown> {
        const domain = await api.make('domain', { name: uniqueName('d') });
        const { name } = await makeUser(api, { domain_id: domain.id });
        const [theirs, nobodys] = [await probe(name, domain.id), await probe(uniqueName('nobody'), domain.id)];
        assert.deepEqual(theirs, nobodys);
        return theirs;
      }

      async function typing(name: string, step = 'password') {
        const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
        const { action, fields } = (await browser.go((await party.ask()).url)).forms.find((f) => f.fields.step === 'password')!;
        const typed = { ...fields, step, name, domain: '', password: 'wrong', new_password: 'x', new_password_again: 'x' };
        return async (address: string) =>
          /Too many/.test((await browser.send(action, typed, { 'X-Forwarded-For': address })).text) ? 429 : 401;
      }

      const inDomain = async (name: string, id: string, address: string) =>
        (await logIn({ name, domain: { id }, password: 'wrong' }, address)).status;

      for (const step of ['password', 'new-password'])
        it(`counts of the page (${step}) do not tell by the API whether somebody outside the default domain has it`, async () => {
          const after = await sameForBoth(async (name, domainId) => {
            const [address, type] = [newAddress(), await typing(name, step)];
            for (let i = 0; i < 10; i++) assert.equal(await type(address), 401);
            return [await type(address), await inDomain(name, 'default', address), await inDomain(name, domainId, address)];
          });
          assert.deepEqual(after, [429, 429, 401]);
        });

      it('nor do counts of the API at the page', async () => {
        for (const asked of ['default', 'theirs'])
          await sameForBoth(async (name, domainId) => {
            const [address, type] = [newAddress(), await typing(name)];
            for (let i = 0; i < 10; i++) await inDomain(name, asked === 'theirs' ? domainId : asked, address);
            return type(address);
          });
      });

      it('nor does the pause', async () => {
        const after = await sameForBoth(async (name, domainId) => {
          const type = await typing(name);
          for (let tries = 0; tries < 13; ) {
            if ((await type(newAddress())) === 401) tries++;
            else api.clock.advance(1);
          }
          const ask = (id: string) => inDomain(name, id, newAddress());
          return [await type(newAddress()), await ask('default'), await ask(domainId)];
        });
        assert.deepEqual(after, [429, 429, 401]);
      });

      it('and the person can sign in, also from the address of the wrong attempts', async () => {
        const domain = await api.make('domain', { name: uniqueName('d') });
        const person = await makeUser(api, { domain_id: domain.id });
        const [party, browser, address] = [await RelyingParty.make(api), new TestBrowser(api), newAddress()];
        const { action, fields } = (await browser.go((await party.ask()).url)).forms.find((f) => f.fields.step === 'password')!;
        const say = (password: string) =>
          browser.send(action, { ...fields, name: person.name, domain: '', password }, { 'X-Forwarded-For': address });
        for (let i = 0; i < 9; i++) assert.equal((await say('wrong')).status, 401);
        assert.equal((await say(person.password)).status, 200);
      });
    });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);

underAttack('Names of applications that no database can store', (api) => {
  it('are those of nobody, and take nothing from others that ask at the same moment', async () => {
    const { id, secret } = await makeApplication(api);
    const send = async (path: string, body: Record<string, string>, who: string, proof: string) => {
      const headers = { Authorization: `Basic ${Buffer.from(`${encodeURIComponent(who)}:${proof}`).toString('base64')}` };
      return (await fetch(api.url + path, { method: 'POST', headers, body: new URLSearchParams(body) })).status;
    };
    const all = Array.from({ length: 30 }, (_, n) => ({
      good: send('/openid/token', { grant_type: 'client_credentials' }, id, secret),
      introspection: send('/openid/introspect', { token: 'x' }, `${n}\0`, 'x'),
      page: fetch(`${api.url}/openid/authorize?client_id=${n}%00&response_type=code`).then(({ status }) => status),
    }));
    const statuses = async (what: keyof (typeof all)[number]) => [...new Set(await Promise.all(all.map((one) => one[what])))];
    assert.deepEqual(await statuses('good'), [200]);
    assert.deepEqual([await statuses('introspection'), await statuses('page')], [[401], [400]]);
  });
});
