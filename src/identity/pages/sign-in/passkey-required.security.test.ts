// Somebody who must use a passkey: their password alone changes no way in, and the last passkey stays.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { AT_LOCALHOST, PasskeyPerson, passkeyOptionsOf, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { QUESTION } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const words = LANGUAGES.en;
const STRICT = 'strict';
const SECURITY = '/account/security';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-passkeys-'));
writeFileSync(join(folder, `keystone.${STRICT}.conf`), '[passkeys]\npolicy = required_for_administrators\n');
after(() => rmSync(folder, { recursive: true }));

underAttack(
  'Somebody who must use a passkey',
  (api) => {
    servesAtLocalhost(api);
    let domain: any;
    before(async () => {
      domain = await api.make('domain', { name: STRICT });
    });

    const answers = (person: PasskeyPerson) => ({ name: person.name, password: person.password, domain: STRICT });
    const make = () => PasskeyPerson.make(api, { domain_id: domain.id });
    const makeAdministrator = async ({ id }: PasskeyPerson): Promise<void> => {
      assertOk(await api.put(`/v3/domains/${domain.id}/users/${id}/roles/${await api.roleId('admin')}`), 204);
    };
    const passkeysOf = async ({ id }: PasskeyPerson): Promise<{ id: string }[]> =>
      assertOk(await api.get(`/v3/users/${id}/OS-PASSKEYS/passkeys`)).passkeys;

    it('changes no way in by a session or a token from before, which had the password only', async () => {
      const person = await make();
      const browser = new TestBrowser(api);
      const open = await browser.signIn(SECURITY, answers(person));
      const adding = await browser.submit(open, 'passkey-new');
      const token = await api.logIn({ id: person.id, password: person.password });
      await makeAdministrator(person);
      const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
      const changed = 'another password of a test';
      const form = { current_password: person.password, new_password: changed, new_password_again: changed };
      const steps = {
        'passkey-new': {},
        'two-factor-on': {},
        'change-password': form,
        'change-email': { email: 'x@example.org' },
      };
      for (const [step, fields] of Object.entries(steps))
        assert.equal(stepOf(await browser.submit(open, step, fields)), 'password', step);
      const created = await browser.submit(adding, 'passkey-create', { passkey, passkey_name: 'of somebody else' });
      assert.equal(stepOf(created), 'password');
      assert.deepEqual(await passkeysOf(person), []);
      const own = `/v3/users/${person.id}/OS-TWO-FACTOR`;
      const refused = await api.post(`${own}/two_factor_auth`, { two_factor_auth: QUESTION }, { token });
      assertRefused(refused, 401);
      assert.deepEqual(refused.body.error.identity, { methods: ['passkey'] });
      assert.equal((await api.head(`/v3/OS-TWO-FACTOR/two_factor_auth?user_id=${person.id}`)).status, 404);
    });

    it('does not remove the last passkey, at the page or by two requests at once; an administrator does', async () => {
      const person = await make();
      const browser = new TestBrowser(api);
      const account = await browser.signIn(SECURITY, answers(person));
      const adding = await browser.submit(account, 'passkey-new');
      const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
      await browser.submit(adding, 'passkey-create', { passkey, passkey_name: 'a phone' });
      await makeAdministrator(person);
      const signedIn = new TestBrowser(api);
      const page = await person.usePasskey(signedIn, await signedIn.go(SECURITY));
      const refused = await signedIn.submit(page, 'passkey-remove');
      assert.equal(refused.status, 400, refused.text);
      assert.ok(refused.text.includes(words.passkeyMustStay), refused.text);
      const [one] = await passkeysOf(person);
      const more = await signedIn.submit(await signedIn.go(SECURITY), 'passkey-new');
      const second = person.authenticator.create(passkeyOptionsOf(more, 'create'));
      const both = await signedIn.submit(more, 'passkey-create', { passkey: second, passkey_name: 'a key' });
      const all = await passkeysOf(person);
      assert.equal(all.length, 2);
      await Promise.all(all.map(({ id }) => signedIn.submit(both, 'passkey-remove', { passkey_id: id })));
      assert.equal((await passkeysOf(person)).length, 1);
      const [left] = await passkeysOf(person);
      assert.ok(one && left);
      assertOk(await api.delete(`/v3/users/${person.id}/OS-PASSKEYS/passkeys/${left.id}`), 204);
      assert.deepEqual(await passkeysOf(person), []);
    });
  },
  { settings: { ...AT_LOCALHOST, GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder } },
);
