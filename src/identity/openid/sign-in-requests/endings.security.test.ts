// What a person allowed somewhere else ends with the session in which they allowed it, and is no more than they saw. Attacks with a session that
// somebody else has, with roles and sign-ins of another time, and with many applications that guess a code together.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { jwtPart, makeApi, READ, WRITE } from '../../../../test/support/apis.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { noDomainSettings } from '../../../../test/support/no-domain-settings.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf, usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { Asked, Asker, allDone } from '../../../../test/support/sign-in-requests.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { newSecret } from '../../../platform/ids.ts';
import { createSeal, newMasterKey } from '../../../platform/seal/index.ts';
import { type Change, createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createRecords, type Records } from '../records/index.ts';

const OFFLINE = 'openid offline_access';
const SIGNS_IN_AGAIN = /\/openid\/interaction\//;

underAttack('What a person allowed somewhere else', (api: TestApi) => {
  const sessionsOf = ({ person }: Asked): string => `/v3/users/${person.id}/OS-SESSIONS/sessions`;
  const refresh = (asker: Asker, refresh_token: string) =>
    asker.send('/openid/token', { grant_type: 'refresh_token', refresh_token });
  const isGood = async (token: string): Promise<boolean> => {
    const bearer = { token: null, headers: { Authorization: `Bearer ${token}` } };
    return (await api.get('/openid/userinfo', bearer)).status === 200;
  };

  /** Allowed in one browser; the person has another one. */
  async function allowed(scope = OFFLINE) {
    const [asker, asked, there] = [await Asker.make(api), await Asked.make(api), new TestBrowser(api)];
    await there.signIn('/account', asked.person);
    const id = await asker.begin({ login_hint: asked.person.name, scope });
    await asked.see();
    assert.match((await asked.answer('allow-request')).text, /You have allowed it/);
    return { asker, asked, there, id };
  }

  async function fetched(scope?: string) {
    const scene = await allowed(scope);
    const { status, text, body } = await scene.asker.poll(scene.id);
    assert.equal(status, 200, text);
    assert.ok(await isGood(body.access_token));
    return { ...scene, tokens: body as { access_token: string; refresh_token?: string } };
  }

  const submit = async (browser: TestBrowser, step: string) => browser.submit(await browser.go('/account/sessions'), step);
  const signOut = async (browser: TestBrowser) =>
    browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' });

  describe('ends when somebody ends the session', () => {
    const endings: Readonly<Record<string, (scene: Awaited<ReturnType<typeof allowed>>) => Promise<unknown>>> = {
      alone: ({ there }) => submit(there, 'end-session'),
      'with all others': ({ there }) => submit(there, 'end-sessions'),
      'with all, by the API': ({ asked }) => api.delete(sessionsOf(asked)),
      'with all others, when it is over already': async ({ asked, there }) => {
        await signOut(asked.browser);
        await new TestBrowser(api).signIn('/account', asked.person);
        await submit(there, 'end-sessions');
      },
    };
    for (const [how, end] of Object.entries(endings))
      it(how, async () => {
        const scene = await fetched();
        await end(scene);
        assert.equal(await isGood(scene.tokens.access_token), false);
        assert.equal((await refresh(scene.asker, scene.tokens.refresh_token!)).body.error, 'invalid_grant');
        const unfetched = await allowed();
        await end(unfetched);
        assert.equal((await unfetched.asker.poll(unfetched.id)).body.error, 'invalid_grant');
      });

    it('but not when they end another one', async () => {
      for (const step of ['end-session', 'end-sessions']) {
        const { asker, asked, tokens } = await fetched();
        await submit(asked.browser, step);
        assert.ok(await isGood(tokens.access_token));
        assert.equal((await refresh(asker, tokens.refresh_token!)).status, 200);
      }
    });

    it('while they allow it', async () => {
      const [asker, asked] = [await Asker.make(api), await Asked.make(api)];
      const id = await asker.begin({ login_hint: asked.person.name, scope: OFFLINE });
      await asked.see();
      const page = await asked.page();
      const { fields } = page.forms.find((form) => form.fields.step === 'allow-request')!;
      const answer = await whenAt(
        'session.before-user',
        () => api.delete(sessionsOf(asked)),
        () => asked.browser.send('/account', fields),
      );
      assert.doesNotMatch(answer.text, /You have allowed it/);
      assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
    });
  });

  it('is over when their domain is disabled while they allow it, also when it is enabled again', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const [asker, asked] = [await Asker.make(api), await Asked.make(api, { domain_id: domain.id })];
    Object.assign(asked.person, { domain: domain.name });
    const id = await asker.begin({ login_hint: asked.person.name, scope: OFFLINE });
    await asked.see();
    const { fields } = (await asked.page()).forms.find((form) => form.fields.step === 'allow-request')!;
    const turn = async (enabled: boolean) =>
      assert.equal((await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled } })).status, 200);
    await whenAt(
      'change.before-transaction',
      () => turn(false).then(() => turn(true)),
      () => asked.browser.send('/account', fields),
    );
    assert.equal((await asker.poll(id)).body.error, 'invalid_grant');
  });

  it('goes on after a sign-out only if the application may go on without the person', async () => {
    const [offline, online] = [await fetched(), await fetched('openid')];
    for (const { asked } of [offline, online]) await signOut(asked.browser);
    assert.ok(await isGood(offline.tokens.access_token));
    assert.equal((await refresh(offline.asker, offline.tokens.refresh_token!)).status, 200);
    assert.equal(await isGood(online.tokens.access_token), false);
  });

  describe('is stored with the session and the means', () => {
    let db: Database;
    let records: Records;
    before(async () => {
      db = await databaseOf(api);
      records = createRecords({
        db,
        clock: api.clock,
        seal: createSeal([newMasterKey()]),
        onEnd: async () => {},
        revocations: { revokeSessions: async () => {} },
        domainSettings: noDomainSettings,
      });
    });
    after(() => db.close());
    const change = <T>(userId: string, work: (transaction: Change) => Promise<T>): Promise<T> =>
      createChanges(db, api.clock)({ userId: null, requestId: 'test' }, (transaction) => {
        transaction.audit('session.ended', { kind: 'user', id: userId });
        return work(transaction);
      });

    async function scene() {
      const [{ id: userId }, { id: clientId }] = [await makeUser(api), await makeApplication(api)];
      const begin = async (amr: readonly string[]) => {
        const session = { accountId: userId, jti: newSecret(), uid: newSecret(), amr };
        await records.save('Session', session.jti, session, 1000);
        return session;
      };
      const give = async (sessionUid: string, amr: readonly string[]) => {
        const grant = { kind: 'Grant', jti: newSecret(), accountId: userId, clientId };
        const approved = { sessionUid, sid: newSecret(), amr, outlivesSignOut: true, grant, lifetime: 1000 };
        const isGiven = await change(userId, (transaction) => records.addApproved(transaction, userId, approved));
        return { isGiven, isThere: async () => (await records.find('Grant', grant.jti)) !== undefined };
      };
      return { userId, begin, give };
    }

    for (const [means, end] of [
      ['pop', 'endPasskeySessions'],
      ['wallet', 'endWalletSessions'],
    ] as const)
      it(`and ends with what began by the means that is gone (${means})`, async () => {
        const { userId, begin, give } = await scene();
        const [by, other, kept] = [await begin([means]), await begin(['pwd']), await begin([means])];
        const given = [
          await give(by.uid, [means]),
          await give(by.uid, ['pwd']),
          await give(other.uid, ['pwd', means]),
          await give(other.uid, ['pwd']),
          await give(kept.uid, [means]),
        ];
        await change(userId, (transaction) => records[end](transaction, userId, kept));
        assert.deepEqual(await Promise.all(given.map((one) => one.isThere())), [false, false, false, true, true]);
      });

    it('and ends when the provider ends the session, and is not given in a session that is over', async () => {
      const { userId, begin, give } = await scene();
      const [one, other] = [await begin(['fed']), await begin(['fed'])];
      const given = [await give(one.uid, ['fed']), await give(other.uid, ['fed'])];
      await change(userId, (transaction) => records.endSessionsByHash(transaction, userId, [records.hashOfSession(one.uid)]));
      assert.deepEqual(await Promise.all(given.map(({ isThere }) => isThere())), [false, true]);
      const late = await give(one.uid, ['fed']);
      assert.deepEqual([late.isGiven, await late.isThere()], [false, false]);
    });
  });

  it('is no scope of an API that the person got by a role later', async () => {
    const [application, asker] = [await makeApplication(api), await Asker.make(api)];
    const role = await makeRole(api, application);
    const scopes = [{ ...READ, roles: [role.id] }, WRITE];
    const made = await makeApi(api, { application_id: application.id, scopes });
    const { user, password, organization } = await makePerson(api);
    const browser = new TestBrowser(api);
    await browser.signIn('/account', { name: user.name, password });
    const asked = new Asked({ name: user.name, password, id: user.id, user }, browser);
    const scopesAllowed = async (isLater: boolean): Promise<string[]> => {
      const scope = `openid ${READ.name} ${WRITE.name}`;
      const id = await asker.begin({ login_hint: user.name, scope, resource: made.identifier });
      await asked.see();
      assert.equal((await asked.page()).text.includes(READ.description), !isLater);
      await asked.answer('allow-request');
      if (isLater) await assign(api, { user, organization, application, role });
      return jwtPart((await asker.poll(id)).body.access_token, 1)
        .scope.split(' ')
        .sort();
    };
    assert.deepEqual(await scopesAllowed(true), [WRITE.name]);
    assert.deepEqual(await scopesAllowed(false), [READ.name, WRITE.name]);
  });

  describe('is allowed by a sign-in that is no older than the application says', () => {
    /** What the person gets when they allow it: signed in now, asked `after` seconds later, allowed `more` seconds later. */
    async function allow(parameters: Record<string, string>, { after: later = 0, more = 0, values = {} }) {
      const [asker, asked] = [await Asker.make(api, values), await Asked.make(api)];
      api.clock.advance(later);
      try {
        const id = await asker.begin({ login_hint: asked.person.name, ...parameters });
        await asked.see();
        api.clock.advance(more);
        const page = await asked.answer('allow-request');
        const { error } = (await asker.poll(id)).body;
        api.clock.advance(-more);
        return { page, error };
      } finally {
        api.clock.advance(-later);
      }
    }
    const isRefused = ({ page, error }: Awaited<ReturnType<typeof allow>>) => {
      assert.match(page.url, SIGNS_IN_AGAIN);
      assert.equal(error, 'authorization_pending');
    };

    it('in its request', async () => {
      isRefused(await allow({ max_age: '100' }, { after: 200 }));
      assert.equal((await allow({ max_age: '600' }, { after: 200 })).error, undefined);
    });

    it('in its registration', async () => {
      isRefused(await allow({}, { after: 200, values: { default_max_age: 100 } }));
    });

    it('and if it wants a new one, one since its request is enough', async () => {
      isRefused(await allow({ max_age: '0' }, { after: 100 }));
      assert.equal((await allow({ max_age: '0' }, { after: -100, more: 150 })).error, undefined);
    });
  });

  describe('is not asked with a code that many applications guess together', () => {
    const db = usesDatabaseOf(api);
    /** Requests that the person did not see. */
    const guess = async (consumerId: string, { person }: Asked, count: number): Promise<void> => {
      const now = Math.floor(api.clock.now() / 1000);
      const times = { created_at: now, expires_at: now + 300, poll_at: now, poll_seconds: 5 };
      const rows = Array.from({ length: count }, () => ({
        id: uniqueName('request'),
        consumer_id: consumerId,
        user_id: person.id,
        state: 'withheld' as const,
        ...times,
      }));
      await db().write((tx) => tx.insertInto('sign_in_requests').values(rows).execute());
    };
    const isSeen = async (asked: Asked, user_code: string): Promise<boolean> => {
      const asker = await Asker.make(api, { backchannel_user_code_parameter: true });
      const before = (await asked.waiting()).length;
      await asker.begin({ login_hint: asked.person.name, user_code });
      await allDone(api);
      return (await asked.waiting()).length > before;
    };

    it('within an hour', async () => {
      const [{ id }, asked] = [await makeApplication(api), await Asked.make(api)];
      await asked.choose('code', 'secret77');
      await guess(id, asked, 99);
      assert.deepEqual([await isSeen(asked, 'secret77'), await isSeen(asked, 'wrong777')], [true, false]);
      assert.equal(await isSeen(asked, 'secret77'), false, 'that was the hundredth');
    });

    it('but who needs no code is asked', async () => {
      const [{ id }, asked] = [await makeApplication(api), await Asked.make(api)];
      await guess(id, asked, 100);
      assert.equal(await isSeen(asked, ''), true);
    });
  });
});
