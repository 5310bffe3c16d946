// A completed sign-in that the library has not picked up yet, and an open consent page: they end with the person's sessions.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { noDomainSettings } from '../../../../test/support/no-domain-settings.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import { createRecords } from '../../openid/records/index.ts';

type Person = Awaited<ReturnType<typeof makeUser>>;

/** Enters the right password, and does not follow the redirect. */
async function enterPassword(api: TestApi, person: Person, more: Record<string, string> = {}) {
  const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
  const page = await browser.go((await party.ask(more)).url);
  const form = page.forms.find(({ fields }) => fields.step === 'password')!;
  const done = await browser.request(new URL(form.action, page.url), {
    method: 'POST',
    body: new URLSearchParams({ ...form.fields, name: person.name, password: person.password }),
    headers: { Origin: api.url, 'Sec-Fetch-Site': 'same-origin' },
  });
  assert.equal(done.status, 303, done.text);
  return { party, browser, collect: (): Promise<BrowserPage> => browser.go(done.headers.get('location')!) };
}

async function assertOk(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  assert.ok(status < 300, `${status} ${text}`);
}

onUsualDatabase('A sign-in that waits to be collected', (api) => {
  const set = (person: Person, user: Record<string, unknown>) => assertOk(api.patch(`/v3/users/${person.id}`, { user }));

  async function assertDead(person: Person, { browser, collect }: Awaited<ReturnType<typeof enterPassword>>): Promise<void> {
    const page = await collect();
    assert.equal(page.redirectTarget, undefined);
    assert.notEqual(stepOf(page), 'allow', 'nobody is signed in');
    assert.equal(stepOf(await browser.go('/account')), 'password', `${person.name} is not signed in`);
  }

  it('can be completed', async () => {
    const person = await makeUser(api);
    const { browser, collect } = await enterPassword(api, person);
    redirectTargetOf(await browser.submit(await collect(), 'allow'));
  });

  it('does not outlive the password', async () => {
    const person = await makeUser(api);
    const signIn = await enterPassword(api, person);
    await set(person, { password: 'a new password of a person' });
    await assertDead(person, signIn);
  });

  it('does not outlive the password, nor is it good at all, when a replica of an older version stored it', async () => {
    for (const isChanged of [true, false]) {
      const person = await makeUser(api);
      const signIn = await enterPassword(api, person);
      const db = await databaseOf(api);
      // As that version stored it: without a user and a generation.
      const old = { user_id: null, generation: null };
      await db.write((tx) => tx.updateTable('openid_records').set(old).where('model', '=', 'Interaction').execute());
      await db.close();
      if (isChanged) await set(person, { password: 'a new password of a person' });
      await assertDead(person, signIn);
    }
  });

  it('does not outlive a password the person changed themselves', async () => {
    const person = await makeUser(api);
    const signIn = await enterPassword(api, person);
    const body = { user: { original_password: person.password, password: 'a new password of a person' } };
    await assertOk(api.post(`/v3/users/${person.id}/password`, body, { token: null }));
    await assertDead(person, signIn);
  });

  it('does not bypass two-factor authentication that was turned on since', async () => {
    const person = await makeUser(api);
    const signIn = await enterPassword(api, person);
    assert.equal((await enable(api, person)).status, 201);
    await assertDead(person, signIn);
  });

  it('is not enough where an administrator requires two methods since', async () => {
    const person = await makeUser(api);
    const signIn = await enterPassword(api, person);
    const rules = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    await set(person, { options: rules });
    await assertDead(person, signIn);
  });

  it('does not outlive an account that was closed, even when it is opened again', async () => {
    const person = await makeUser(api);
    const [first, second] = [await enterPassword(api, person), await enterPassword(api, person)];
    await set(person, { enabled: false });
    await assertDead(person, first);
    await set(person, { enabled: true });
    await assertDead(person, second);
  });

  it('does not outlive a domain that was closed, even when it is opened again', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const person = await makeUser(api, { domain_id: domain.id });
    const [first, second] = [await enterPassword(api, person), await enterPassword(api, person)];
    await assertOk(api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
    await assertDead(person, first);
    await assertOk(api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: true } }));
    await assertDead(person, second);
  });

  it('nor does an open consent page, which then allows nothing', async () => {
    const person = await makeUser(api);
    const { party, browser, collect } = await enterPassword(api, person);
    const consent = await collect();
    assert.equal(stepOf(consent), 'allow');
    await set(person, { password: 'a new password of a person' });
    assert.equal((await browser.submit(consent, 'allow')).status, 400);
    const again = await new TestBrowser(api).go((await party.ask()).url);
    const fresh = new TestBrowser(api);
    const asked = await fresh.answerForms(await fresh.go((await party.ask()).url), {
      name: person.name,
      password: 'a new password of a person',
      consent: false,
    });
    assert.equal(stepOf(again), 'password');
    assert.equal(redirectTargetOf(asked).searchParams.get('error'), 'access_denied', 'they are asked again');
  });

  it('nor a consent page whose session was ended', async () => {
    const person = await makeUser(api);
    const { browser, collect } = await enterPassword(api, person);
    const consent = await collect();
    const other = new TestBrowser(api);
    await other.signIn('/account', person);
    await other.submit(await other.go('/account/sessions'), 'end-sessions');
    assert.equal((await browser.submit(consent, 'allow')).status, 400);
  });
});

onUsualDatabase('What a request keeps at its end', (api) => {
  async function withRecords<T>(work: (records: ReturnType<typeof createRecords>) => Promise<T>): Promise<T> {
    const db = await databaseOf(api);
    try {
      return await work(
        createRecords({
          db,
          clock: api.clock,
          seal: createSeal([newMasterKey()]),
          onEnd: async () => {},
          revocations: { revokeSessions: async () => {} },
          domainSettings: noDomainSettings,
        }),
      );
    } finally {
      await db.close();
    }
  }

  it('is refused when the password changed since it started', () =>
    withRecords(async (records) => {
      const { id: accountId } = await makeUser(api);
      const [session, grant] = [uniqueName('session'), uniqueName('grant')];
      await records.save('Session', session, { accountId, uid: session }, 100);
      await records.duringRequest(async () => {
        assert.ok(await records.find('Session', session));
        await assertOk(api.patch(`/v3/users/${accountId}`, { user: { password: 'a new password of a person' } }));
        await records.save('Session', session, { accountId, uid: session }, 100);
        await records.save('Grant', grant, { accountId }, 100);
        await records.save('AccessToken', grant, { accountId, grantId: grant }, 100);
      });
      for (const [model, id] of [
        ['Session', session],
        ['Grant', grant],
        ['AccessToken', grant],
      ] as const)
        assert.equal(await records.find(model, id), undefined, model);
      assert.equal(await records.findByUid(session), undefined);
      assert.deepEqual(await records.listOfUser(accountId, 'AccessToken'), []);
    }));

  it('is refused when an older version stored it without a generation', async () => {
    const { id: accountId } = await makeUser(api);
    const [session, grant] = [uniqueName('session'), uniqueName('grant')];
    await withRecords(async (records) => {
      await records.save('Session', session, { accountId, uid: session }, 100);
      await records.save('RefreshToken', grant, { accountId }, 100);
      await records.save('ClientCredentials', grant, {}, 100);
      const db = await databaseOf(api);
      await db.write((tx) =>
        tx.updateTable('openid_records').set({ generation: null }).where('user_id', '=', accountId).execute(),
      );
      await db.close();
      assert.equal(await records.find('Session', session), undefined);
      assert.equal(await records.findByUid(session), undefined);
      assert.equal(await records.find('RefreshToken', grant), undefined);
      assert.deepEqual(await records.listOfUser(accountId, 'Session'), []);
      assert.ok(await records.find('ClientCredentials', grant), 'what is nobody’s stays');
    });
  });

  it('does not restore a session that was ended in the meantime', () =>
    withRecords(async (records) => {
      const { id: accountId } = await makeUser(api);
      const session = uniqueName('session');
      await records.save('Session', session, { accountId, uid: session }, 100);
      await records.duringRequest(async () => {
        assert.ok(await records.find('Session', session));
        await records.destroy('Session', session);
        await records.save('Session', session, { accountId, uid: session }, 100);
      });
      assert.equal(await records.find('Session', session), undefined);
    }));

  it('is not issued for a grant that was revoked in the meantime', () =>
    withRecords(async (records) => {
      const { id: accountId } = await makeUser(api);
      const grant = uniqueName('grant');
      await records.save('Grant', grant, { accountId }, 100);
      await records.duringRequest(async () => {
        assert.ok(await records.find('Grant', grant));
        await records.destroy('Grant', grant);
        for (const model of ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'DeviceCode'])
          await records.save(model, grant, { accountId, grantId: grant }, 100);
      });
      for (const model of ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'DeviceCode'])
        assert.equal(await records.find(model, grant), undefined, model);
    }));
});
