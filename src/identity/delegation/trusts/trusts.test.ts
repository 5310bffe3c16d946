import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isValid } from '../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { askForTrust, makeTrust, type TrustPerson, trustPerson, trustToken, useTrust } from '../../../../test/support/trusts.ts';
import { markUsedUp, sweepTrusts } from './trusts.store.ts';

const path = '/v3/OS-TRUST/trusts';
const names = (roles: readonly { name: string }[]): string[] => roles.map(({ name }) => name);

onEachDatabase('Trusts', (api) => {
  const db = usesDatabaseOf(api);
  let [ann, bob]: TrustPerson[] = [];
  before(async () => {
    [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
  });

  it('are created, shown, listed and deleted, with Keystone’s fields', async () => {
    const created = await makeTrust(api, ann!, bob!, { note: 'kept as it is' });
    const { id, roles, roles_links, links, ...rest } = created;
    assert.deepEqual(rest, {
      trustor_user_id: ann!.user.id,
      trustee_user_id: bob!.user.id,
      project_id: ann!.project.id,
      impersonation: false,
      expires_at: null,
      remaining_uses: null,
      deleted_at: null,
      redelegated_trust_id: null,
      redelegation_count: 0,
      note: 'kept as it is',
    });
    assert.deepEqual(names(roles), ['member']);
    assert.equal(links.self, `${api.url}${path}/${id}`);
    assert.equal(roles_links.self, `${links.self}/roles`);
    for (const token of [ann!.token, bob!.token, api.adminToken])
      assert.deepEqual((await api.get(`${path}/${id}`, { token })).body.trust, created);
    const { roles: _, roles_links: __, ...listed } = created;
    for (const [query, token] of [
      [`trustor_user_id=${ann!.user.id}`, ann!.token],
      [`trustee_user_id=${bob!.user.id}`, bob!.token],
      [`trustor_user_id=${ann!.user.id}&trustee_user_id=${bob!.user.id}`, bob!.token],
      ['', api.adminToken],
    ] as const) {
      const { trusts } = (await api.get(`${path}?${query}`, { token })).body;
      assert.deepEqual(
        trusts.find((trust: { id: string }) => trust.id === id),
        listed,
        query,
      );
    }
    const { body } = await api.get(`${path}/${id}/roles`, { token: bob!.token });
    assert.deepEqual(body.roles, roles);
    const role = `${path}/${id}/roles/${roles[0].id}`;
    assert.deepEqual((await api.get(role, { token: bob!.token })).body.role, roles[0]);
    assert.equal((await api.head(role, { token: bob!.token })).status, 200);
    const other = `${path}/${id}/roles/${await api.roleId('reader')}`;
    assert.equal((await api.get(other, { token: bob!.token })).status, 404);
    for (const change of [api.patch, api.put]) assert.equal((await change(`${path}/${id}`, { trust: {} })).status, 405);
    assert.equal((await api.delete(`${path}/${id}`, { token: ann!.token })).status, 204);
    assert.equal((await api.get(`${path}/${id}`, { token: ann!.token })).status, 404);
  });

  it('are logged in to, by password or token, with their roles, and with the trustor’s name only if they say so', async () => {
    for (const impersonation of [false, true]) {
      const trust = await makeTrust(api, ann!, bob!, { impersonation });
      const scope = { 'OS-TRUST:trust': { id: trust.id } };
      const byToken = { auth: { identity: { methods: ['token'], token: { id: bob!.token } }, scope } };
      for (const answer of [await useTrust(api, bob!, trust), await api.post('/v3/auth/tokens', byToken, { token: null })]) {
        assert.equal(answer.status, 201, answer.text);
        const { token } = answer.body;
        assert.equal(token.user.id, (impersonation ? ann! : bob!).user.id);
        assert.equal(token.project.id, ann!.project.id);
        assert.deepEqual(names(token.roles), ['member', 'reader']);
        assert.deepEqual(token['OS-TRUST:trust'], {
          id: trust.id,
          trustor_user: { id: ann!.user.id },
          trustee_user: { id: bob!.user.id },
          impersonation,
        });
        const text = answer.headers.get('x-subject-token')!;
        assert.equal((await api.get(`/v3/projects/${ann!.project.id}`, { token: text })).status, 200);
        assert.equal((await api.get(`${path}/${trust.id}/roles`, { token: text })).status, 200);
        const shown = await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } });
        assert.deepEqual(shown.body.token['OS-TRUST:trust'], token['OS-TRUST:trust']);
        assert.equal((await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } })).status, 204);
        assert.ok(!(await isValid(api, text)));
      }
    }
  });

  it('are used a number of times; the last token stays valid', async () => {
    const trust = await makeTrust(api, ann!, bob!, { remaining_uses: 2 });
    assert.equal((await useTrust(api, ann!, trust)).status, 403, 'a login that fails takes no use');
    await trustToken(api, bob!, trust);
    assert.equal((await api.get(`${path}/${trust.id}`)).body.trust.remaining_uses, 1);
    const last = await trustToken(api, bob!, trust);
    assert.equal((await useTrust(api, bob!, trust)).status, 401);
    assert.equal((await api.get(`${path}/${trust.id}`)).status, 404);
    assert.ok(await isValid(api, last));
  });

  it('that are used up or have ended are deleted after a week, and not before the last token has ended', async () => {
    const [used, open] = [
      await makeTrust(api, ann!, bob!, { remaining_uses: 1 }),
      await makeTrust(api, ann!, bob!, { remaining_uses: 2 }),
    ];
    const soon = new Date(api.clock.now() + 60_000).toISOString();
    const short = await makeTrust(api, ann!, bob!, { expires_at: soon });
    const last = await trustToken(api, bob!, used);
    await trustToken(api, bob!, open);
    const now = Math.floor(api.clock.now() / 1000);
    const left = async () => {
      const ids = [used.id, open.id, short.id];
      const rows = await db().read.selectFrom('trusts').where('id', 'in', ids).select('id').execute();
      return rows.map(({ id }) => id).sort();
    };
    // Earlier versions do not note when the last use was taken: the first sweep does.
    await markUsedUp(db(), now);
    await sweepTrusts(db(), { expiredBefore: now, usedUpBefore: now - 1 });
    assert.deepEqual(await left(), [used.id, open.id, short.id].sort());
    assert.ok(await isValid(api, last));
    await markUsedUp(db(), now + 3600);
    await sweepTrusts(db(), { expiredBefore: now + 61, usedUpBefore: now });
    assert.deepEqual(await left(), [open.id]);
  });

  it('work again when a trustor who was disabled is enabled, as in Keystone; tokens do not come back', async () => {
    const [carl, dora] = [await trustPerson(api, ['member']), await trustPerson(api)];
    const trust = await makeTrust(api, carl, dora);
    const token = await trustToken(api, dora, trust);
    for (const enabled of [false, true]) {
      assert.equal((await api.patch(`/v3/users/${carl.user.id}`, { user: { enabled } })).status, 200);
      assert.ok(!(await isValid(api, token)));
      assert.equal((await useTrust(api, dora, trust)).status, enabled ? 201 : 403);
    }
  });

  it('end at their time', async () => {
    const soon = new Date(api.clock.now() + 60_000).toISOString();
    const trust = await makeTrust(api, ann!, bob!, { expires_at: soon });
    const token = await trustToken(api, bob!, trust);
    api.clock.advance(61);
    assert.ok(!(await isValid(api, token)));
    assert.equal((await useTrust(api, bob!, trust)).status, 401);
    assert.equal((await api.get(`${path}/${trust.id}`)).status, 404);
    [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
  });

  it('are refused with what Keystone refuses', async () => {
    const ask = async (values: object) => (await askForTrust(api, ann!, bob!, { ...values })).status;
    for (const [values, status] of [
      [{ trustee_user_id: undefined }, 400],
      [{ impersonation: undefined }, 400],
      [{ expires_at: 'bad.123Z' }, 400],
      [{ expires_at: '' }, 400],
      [{ expires_at: '2010-06-04T08:44:31.999999Z' }, 400],
      [{ remaining_uses: 0 }, 400],
      [{ remaining_uses: 7.2 }, 400],
      [{ remaining_uses: 'some' }, 400],
      [{ remaining_uses: 1, allow_redelegation: true }, 400],
      [{ roles: [{ fake: 'x' }] }, 400],
      [{ roles: [{}] }, 400],
      [{ trustee_user_id: 'f'.repeat(32) }, 404],
      [{ project_id: 'f'.repeat(32) }, 404],
      [{ roles: [{ id: 'f'.repeat(32) }] }, 404],
      [{ roles: [{ name: 'nobody has it' }] }, 404],
      [{ roles: [{ name: 'admin' }] }, 404],
      [{ project_id: null }, 404],
      [{ roles: [] }, 403],
      [{ trustor_user_id: bob!.user.id }, 403],
      [{ allow_redelegation: true, redelegation_count: 4 }, 403],
    ] as const)
      assert.equal(await ask(values), status, JSON.stringify(values));
    const domain = await api.make('domain', { name: `of a role ${ann!.user.id}` });
    await api.make('role', { name: 'member', domain_id: domain.id });
    assert.equal(await ask({}), 400, 'two roles have this name');
    await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } });
    await api.delete(`/v3/domains/${domain.id}`);
    for (const scope of [
      { 'OS-TRUST:trust': '' },
      { 'OS-TRUST:trust': {} },
      { 'OS-TRUST:trust': { id: 'x' }, project: { id: 'x' } },
    ])
      assert.equal((await api.authenticate({ id: bob!.user.id, password: bob!.password }, scope)).status, 400);
  });

  it('without a project are stored, and give nothing', async () => {
    const trust = await makeTrust(api, ann!, bob!, { project_id: null, roles: [], impersonation: true });
    assert.equal(trust.project_id, null);
    assert.ok([401, 403].includes((await useTrust(api, bob!, trust)).status));
  });

  describe('that are passed on', () => {
    it('give the same or less, for as long, and as deep as the first one says', async () => {
      const [carl, dora] = [await trustPerson(api), await trustPerson(api)];
      const end = new Date(api.clock.now() + 3_600_000).toISOString();
      const first = await makeTrust(api, ann!, bob!, {
        impersonation: true,
        allow_redelegation: true,
        redelegation_count: 2,
        expires_at: end,
      });
      const bobs = { ...ann!, token: await trustToken(api, bob!, first) };
      const second = await makeTrust(api, bobs, carl, { impersonation: true, allow_redelegation: true });
      assert.equal(second.redelegated_trust_id, first.id);
      assert.equal(second.redelegation_count, 1);
      assert.equal(second.expires_at, first.expires_at);
      const carls = { ...ann!, token: await trustToken(api, carl, second) };
      const third = await makeTrust(api, carls, dora, { impersonation: true, allow_redelegation: true });
      assert.equal(third.redelegation_count, 0);
      const answer = await useTrust(api, dora, third);
      assert.equal(answer.body.token.user.id, ann!.user.id);
      const text = answer.headers.get('x-subject-token')!;
      assert.equal((await askForTrust(api, { ...ann!, token: text }, bob!)).status, 403, 'not a third time');
      assert.equal((await api.delete(`${path}/${first.id}`, { token: ann!.token })).status, 204);
      assert.ok(!(await isValid(api, text)));
      for (const { id } of [second, third]) assert.equal((await api.get(`${path}/${id}`)).status, 404);
    });

    it('name the one who passes them on, when nobody is impersonated', async () => {
      const carl = await trustPerson(api);
      const first = await makeTrust(api, ann!, bob!, { allow_redelegation: true });
      assert.equal(first.redelegation_count, 3);
      const bobs = { user: bob!.user, project: ann!.project, token: await trustToken(api, bob!, first) };
      const second = await makeTrust(api, bobs, carl);
      assert.equal(second.trustor_user_id, bob!.user.id);
      const answer = await useTrust(api, carl, second);
      assert.equal(answer.body.token.user.id, carl.user.id);
      assert.deepEqual(names(answer.body.token.roles), ['member', 'reader']);
      assert.equal((await api.delete(`${path}/${second.id}`, { token: bobs.token })).status, 204);
    });
  });

  it('are in JSON Home', async () => {
    const { body } = await api.get('/v3', { headers: { Accept: 'application/json-home' } });
    const entry = body.resources['https://docs.openstack.org/api/openstack-identity/3/ext/OS-TRUST/1.0/rel/trust_role'];
    assert.equal(
      entry['href-vars'].trust_id,
      'https://docs.openstack.org/api/openstack-identity/3/ext/OS-TRUST/1.0/param/trust_id',
    );
  });
});
