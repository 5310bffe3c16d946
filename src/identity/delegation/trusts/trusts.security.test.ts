import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isAlive, isValid } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, underAttack } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { makeProgram, tokenOfProgram, useProgram } from '../../../../test/support/programs.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { askForTrust, makeTrust, type TrustPerson, trustPerson, trustToken, useTrust } from '../../../../test/support/trusts.ts';

const path = '/v3/OS-TRUST/trusts';

underAttack('A trust', (api) => {
  const pair = async (): Promise<[TrustPerson, TrustPerson]> => [await trustPerson(api, ['member']), await trustPerson(api)];

  it('makes no token if it was used up or deleted, or its trustee changed, after the login was proved', async () => {
    const changes: readonly ((ann: TrustPerson, bob: TrustPerson, trust: { id: string }) => Promise<ApiAnswer>)[] = [
      (_ann, bob, trust) => useTrust(api, bob, trust),
      ({ token }, _bob, { id }) => api.delete(`${path}/${id}`, { token }),
      (_ann, { user }) => api.patch(`/v3/users/${user.id}`, { user: { password: 'another password' } }),
    ];
    for (const change of changes) {
      const [ann, bob] = await pair();
      const trust = await makeTrust(api, ann, bob, { remaining_uses: 1 });
      const act = async (): Promise<void> => {
        const { status, text } = await change(ann, bob, trust);
        assert.ok(status < 300, text);
      };
      const answer = await whenAt('change.before-transaction', act, () => useTrust(api, bob, trust));
      assert.equal(answer.status, 401, answer.text);
    }
  });

  it('gives nothing that its trustor has lost, and ends with everybody and everything it depends on', async () => {
    const password = { user: { password: 'another password of a test' } };
    const disable = { user: { enabled: false } };
    const ends: [why: string, end: (ann: TrustPerson, bob: TrustPerson) => Promise<unknown>, status: number][] = [
      [
        'a role',
        async ({ project, user }) =>
          api.delete(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`),
        403,
      ],
      ['project disabled', ({ project }) => api.patch(`/v3/projects/${project.id}`, { project: { enabled: false } }), 403],
      ['project deleted', ({ project }) => api.delete(`/v3/projects/${project.id}`), 401],
      ['trustor disabled', ({ user }) => api.patch(`/v3/users/${user.id}`, disable), 403],
      ['trustor deleted', ({ user }) => api.delete(`/v3/users/${user.id}`), 401],
      ['trustor’s password', ({ user }) => api.patch(`/v3/users/${user.id}`, password), 201],
      ['trustee disabled', (_, { user }) => api.patch(`/v3/users/${user.id}`, disable), 401],
      ['trustee deleted', (_, { user }) => api.delete(`/v3/users/${user.id}`), 401],
      ['trustee’s password', (_, { user }) => api.patch(`/v3/users/${user.id}`, password), 401],
    ];
    for (const [why, end, status] of ends)
      for (const impersonation of [false, true]) {
        const [ann, bob] = await pair();
        const trust = await makeTrust(api, ann, bob, { impersonation });
        const token = await trustToken(api, bob, trust);
        assert.ok(await isValid(api, token));
        await end(ann, bob);
        assert.ok(!(await isValid(api, token)), why);
        assert.equal((await useTrust(api, bob, trust)).status, status, why);
      }
  });

  it('is passed on by whoever logged in, if that login is enough for them; nobody asks for the factor of the trustor', async () => {
    const [[ann, bob], carl] = [await pair(), await trustPerson(api)];
    const trust = await makeTrust(api, ann, bob, { impersonation: true, allow_redelegation: true });
    assert.equal((await enable(api, ann.user)).status, 201);
    const bobs = { ...ann, token: await trustToken(api, bob, trust) };
    assert.equal((await askForTrust(api, bobs, carl, { impersonation: true })).status, 201);
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    assert.equal((await api.patch(`/v3/users/${bob.user.id}`, { user: { options } })).status, 200);
    assert.equal((await askForTrust(api, bobs, carl, { impersonation: true })).status, 401);
  });

  it('ends with somebody in the middle, and with a role of the first trustor', async () => {
    const ends: ((first: TrustPerson, middle: TrustPerson) => Promise<unknown>)[] = [
      (_, { user }) => api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }),
      (_, { user }) => api.delete(`/v3/users/${user.id}`),
      async ({ project, user }) => api.delete(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`),
    ];
    for (const end of ends) {
      const [[ann, bob], carl] = [await pair(), await trustPerson(api)];
      const first = await makeTrust(api, ann, bob, { allow_redelegation: true });
      const bobs = { user: bob.user, project: ann.project, token: await trustToken(api, bob, first) };
      const second = await makeTrust(api, bobs, carl);
      const token = await trustToken(api, carl, second);
      await end(ann, bob);
      assert.ok(!(await isValid(api, token)), end.toString());
      assert.notEqual((await useTrust(api, carl, second)).status, 201, end.toString());
    }
  });

  it('is not passed on with more than it gives', async () => {
    const [[ann, bob], carl] = [await pair(), await trustPerson(api)];
    await api.put(`/v3/projects/${ann.project.id}/users/${ann.user.id}/roles/${await api.roleId('manager')}`);
    const other = await api.make('project', { name: `other ${ann.user.id}` });
    await api.put(`/v3/projects/${other.id}/users/${ann.user.id}/roles/${await api.roleId('member')}`);
    const soon = new Date(api.clock.now() + 600_000).toISOString();
    const later = new Date(api.clock.now() + 700_000).toISOString();
    const trust = await makeTrust(api, ann, bob, { allow_redelegation: true, expires_at: soon });
    const bobs = { user: bob.user, project: ann.project, token: await trustToken(api, bob, trust) };
    for (const values of [
      { impersonation: true },
      { roles: [{ name: 'manager' }] },
      { project_id: other.id },
      { expires_at: later },
      { remaining_uses: 1 },
      { allow_redelegation: true, redelegation_count: 3 },
      { trustor_user_id: ann.user.id },
    ])
      assert.equal((await askForTrust(api, bobs, carl, values)).status, 403, JSON.stringify(values));
    // Nor is one that may not be passed on, nor is another named as its origin.
    const closed = await makeTrust(api, ann, bob);
    const token = await trustToken(api, bob, closed);
    assert.equal((await askForTrust(api, { ...bobs, token }, carl)).status, 403);
    assert.equal((await askForTrust(api, { ...bobs, token }, carl, { redelegated_trust_id: trust.id })).status, 403);
    const mine = await makeTrust(api, ann, bob, { redelegated_trust_id: trust.id, deleted_at: 'now', id: 'mine' });
    assert.equal(mine.redelegated_trust_id, null);
    assert.notEqual(mine.id, 'mine');
  });

  it('is only for its trustee, in person: not for others, programs, applications or tokens of trusts', async () => {
    const [[ann, bob], carl] = [await pair(), await trustPerson(api, ['member'])];
    const trust = await makeTrust(api, ann, bob, { impersonation: true });
    assert.equal((await useTrust(api, carl, trust)).status, 403);
    assert.equal((await useTrust(api, bob, { id: 'f'.repeat(32) })).status, 401);
    const scope = { 'OS-TRUST:trust': { id: trust.id } };
    const rescope = (id: string, to: unknown) =>
      api.post('/v3/auth/tokens', { auth: { identity: { methods: ['token'], token: { id } }, scope: to } }, { token: null });
    const token = await trustToken(api, bob, trust);
    for (const to of [scope, undefined, 'unscoped', { project: { id: ann.project.id } }])
      assert.equal((await rescope(token, to)).status, 403);

    // A program of a trustee.
    const toCarl = await makeTrust(api, ann, carl);
    const made = await makeProgram(api, carl, { unrestricted: true });
    assert.equal((await useProgram(api, made, { scope: { 'OS-TRUST:trust': { id: toCarl.id } } })).status, 401);
    const program = await tokenOfProgram(api, made);
    assert.equal((await askForTrust(api, { ...carl, token: program }, bob)).status, 403);
    for (const at of [`${path}?trustor_user_id=${carl.user.id}`, `${path}/${toCarl.id}`, `${path}/${toCarl.id}/roles`])
      assert.equal((await api.get(at, { token: program })).status, 403, at);

    // An application that acts for a trustee.
    const [client, person] = [await KeyrockClient.make(api), await makePerson(api)];
    const toPerson = await makeTrust(api, ann, person);
    const { access_token } = await client.tokens(person);
    const auth = {
      identity: { methods: ['oauth2'], oauth2: { access_token_id: access_token } },
      scope: { 'OS-TRUST:trust': { id: toPerson.id } },
    };
    assert.equal((await api.post('/v3/auth/tokens', { auth }, { token: null })).status, 401);
  });

  it('gives its roles, and nothing else of the trustor', async () => {
    const [ann, bob] = await pair();
    const trust = await makeTrust(api, ann, bob, { impersonation: true });
    const other = await makeTrust(api, ann, bob);
    const token = await trustToken(api, bob, trust);
    const user = `/v3/users/${ann.user.id}`;
    const program = { application_credential: { name: 'program' } };
    assert.equal((await api.post(`${user}/application_credentials`, program, { token })).status, 403);
    assert.equal((await api.get(`${user}/application_credentials`, { token })).status, 403);
    const credential = { credential: { type: 'note', blob: 'x', user_id: ann.user.id } };
    assert.equal((await api.post('/v3/credentials', credential, { token })).status, 403);
    assert.equal((await api.get('/v3/credentials', { token })).status, 403);
    for (const { id } of [trust, other]) assert.equal((await api.delete(`${path}/${id}`, { token })).status, 403);
    assert.equal((await api.delete(`${path}/${other.id}`, { token: bob.token })).status, 403, 'the trustee');
  });

  it('is not shown to others, and no list of others is', async () => {
    const [[ann, bob], carl] = [await pair(), await trustPerson(api)];
    const { id } = await makeTrust(api, ann, bob);
    const { token } = carl;
    for (const at of [path, `${path}?trustor_user_id=${ann.user.id}`, `${path}?trustee_user_id=${bob.user.id}`, `${path}/${id}`])
      assert.equal((await api.get(at, { token })).status, 403, at);
    assert.equal((await api.get(`${path}/${id}/roles`, { token })).status, 403);
    assert.equal((await api.delete(`${path}/${id}`, { token })).status, 403);
    assert.equal((await api.get(path, { token: null })).status, 401);
  });

  it('is used as often as it says, also at the same time', async () => {
    const [ann, bob] = await pair();
    const trust = await makeTrust(api, ann, bob, { remaining_uses: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => useTrust(api, bob, trust)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 401, 401, 401, 401]);
  });

  it('that is used up can be taken back, and its last token with it, by the trustor and nobody else', async () => {
    const [ann, bob] = await pair();
    const trust = await makeTrust(api, ann, bob, { remaining_uses: 1 });
    const token = await trustToken(api, bob, trust);
    const at = `${path}/${trust.id}`;
    assert.equal((await api.get(at, { token: ann.token })).status, 404);
    for (const other of [bob.token, token, (await trustPerson(api)).token])
      assert.equal((await api.delete(at, { token: other })).status, 403);
    assert.ok(await isValid(api, token));
    assert.equal((await api.delete(at, { token: ann.token })).status, 204);
    assert.ok(!(await isValid(api, token)));
    assert.equal((await api.delete(at, { token: ann.token })).status, 404);
  });

  it('is not made with an old login', async () => {
    const [ann, bob] = await pair();
    api.clock.advance(901);
    assert.equal((await askForTrust(api, ann, bob)).status, 401);
    assert.equal((await api.get(`${path}?trustor_user_id=${ann.user.id}`, { token: ann.token })).status, 200);
  });

  it('leaves a trace of who used it, and for whom', async () => {
    const [ann, bob] = await pair();
    const trust = await makeTrust(api, ann, bob, { impersonation: true });
    await trustToken(api, bob, trust);
    const { body } = await api.get('/v3/OS-AUDIT/events?action=trust.used');
    const used = body.events.find((event: { target_id: string }) => event.target_id === trust.id);
    assert.equal(used?.actor_id, bob.user.id);
    assert.equal(used.user_id, ann.user.id);
    assert.equal(used.domain_id, 'default');
  });
});

onUsualDatabase(
  'The number of trusts',
  (api) => {
    it('of one trustor is limited', async () => {
      const [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
      await makeTrust(api, ann, bob);
      assert.equal((await askForTrust(api, ann, bob)).status, 403);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_TRUST_LIMIT: '1' } },
);

onUsualDatabase(
  'A trust of somebody who does not come any more',
  (api) => {
    it('ends when their account does, though it was good a moment before', async () => {
      const [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
      const trust = await makeTrust(api, ann, bob);
      api.clock.advance(10 * 86_400 - 60);
      const token = await trustToken(api, bob, trust);
      for (const _ of [1, 2]) assert.equal(await isAlive(api, token), true);
      api.clock.advance(61);
      assert.equal(await isAlive(api, token), false);
      assert.equal((await useTrust(api, bob, trust)).status, 403);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_DISABLE_USER_ACCOUNT_DAYS_INACTIVE: '10', GATEHOUSE_IDENTITY_TOKEN_SECONDS: '31536000' } },
);
