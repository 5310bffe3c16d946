import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { ec2Person } from '../../../../test/support/ec2.ts';
import { makeAccessToken, oauth1Person } from '../../../../test/support/oauth1.ts';
import { makeTrust, trustPerson } from '../../../../test/support/trusts.ts';

const EVENTS = '/v3/OS-REVOKE/events';
const isoOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

onEachDatabase('Revocation events', (api) => {
  it('say which tokens ended: one by one, and those of users and projects', async () => {
    const since = encodeURIComponent(isoOf(api.clock.now() - 1000));
    const project = await api.make('project', { name: uniqueName('project') });
    const { user, token } = await api.persona(['member'], { project: project.id });
    const shown = assertOk(await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } })).token;
    assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } }), 204);
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { email: 'ann@example.org' } }));
    const about = async (field: string, id: string) =>
      assertOk(await api.get(`${EVENTS}?since=${since}`)).events.filter((event: Record<string, string>) => event[field] === id);
    const [revoked] = await about('audit_id', shown.audit_ids[0]);
    assert.deepEqual(Object.keys(revoked).sort(), ['audit_id', 'issued_before', 'revoked_at']);
    assert.match(revoked.revoked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.deepEqual(await about('user_id', user.id), [], 'an address is no reason');
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
    assert.equal((await about('user_id', user.id)).length, 1);
    assertOk(await api.delete(`/v3/users/${user.id}`), 204);
    assert.equal((await about('user_id', user.id)).length, 2);
    assertOk(await api.delete(`/v3/projects/${project.id}`), 204);
    assert.equal((await about('project_id', project.id)).length, 1);
  });

  it('concern tokens that were issued earlier in the same second', async () => {
    const { user, token } = await api.persona(['member'], 'system');
    const { issued_at } = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).token;
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
    const { events } = assertOk(await api.get(EVENTS));
    const event = events.find(({ user_id }: { user_id?: string }) => user_id === user.id);
    assert.match(event.issued_before, /\.999999Z$/);
    assert.match(event.revoked_at, /\.000000Z$/);
    assert.ok(issued_at <= event.issued_before, `${issued_at} ${event.issued_before}`);
  });

  it('are about all that ends tokens or takes roles from them', async () => {
    const [role, project] = [await api.roleId('member'), await api.make('project', { name: uniqueName('project') })];
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const group = await api.make('group', { name: uniqueName('group') });
    const [{ user, token }, ec2] = [await api.persona(['member'], { project: project.id }), await ec2Person(api)];
    const [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
    const trust = await makeTrust(api, ann, bob);
    const admin = await oauth1Person(api);
    const [access, consumed] = [await makeAccessToken(api, admin), await makeAccessToken(api, admin)];
    const programs = `/v3/users/${user.id}/application_credentials`;
    const program = assertOk(await api.post(programs, { application_credential: { name: 'program' } }, { token }), 201);
    const gone = await api.make('role', { name: uniqueName('role') });
    const [prior, implied] = [
      await api.make('role', { name: uniqueName('role') }),
      await api.make('role', { name: uniqueName('role') }),
    ];
    assertOk(await api.put(`/v3/roles/${prior.id}/implies/${implied.id}`), 201);
    assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
    const grants = {
      ofUser: `/v3/projects/${project.id}/users/${user.id}/roles/${role}`,
      ofGroup: `/v3/domains/${domain.id}/groups/${group.id}/roles/${role}`,
      inherited: `/v3/OS-INHERIT/domains/${domain.id}/users/${user.id}/roles/${role}/inherited_to_projects`,
      below: `/v3/OS-INHERIT/projects/${project.id}/users/${user.id}/roles/${role}/inherited_to_projects`,
      onSystem: `/v3/system/users/${user.id}/roles/${role}`,
    };
    for (const path of [grants.ofGroup, grants.inherited, grants.below, grants.onSystem]) assertOk(await api.put(path), 204);
    const note = assertOk(await api.post('/v3/credentials', { credential: { type: 'cert', blob: 'x', user_id: user.id } }), 201);
    const disabled = { enabled: false };
    const remove = (path: string) => async () => assertOk(await api.delete(path), 204);
    const cases: [what: string, act: () => Promise<unknown>, common: Record<string, string> | undefined][] = [
      [
        'application credential',
        remove(`${programs}/${program.application_credential.id}`),
        { user_id: user.id, project_id: project.id },
      ],
      ['grant', remove(grants.ofUser), { role_id: role, user_id: user.id, project_id: project.id }],
      ['grant of a group', remove(grants.ofGroup), { role_id: role, domain_scope_id: domain.id }],
      ['inherited grant', remove(grants.inherited), { role_id: role, user_id: user.id, domain_id: domain.id }],
      ['grant below a project', remove(grants.below), { role_id: role, user_id: user.id }],
      ['grant on the system', remove(grants.onSystem), { role_id: role, user_id: user.id }],
      ['membership', remove(`/v3/groups/${group.id}/users/${user.id}`), { user_id: user.id }],
      ['implied role', remove(`/v3/roles/${prior.id}/implies/${implied.id}`), { role_id: implied.id }],
      ['role', remove(`/v3/roles/${gone.id}`), { role_id: gone.id }],
      ['EC2 key', remove(`${ec2.path}/${ec2.key.access}`), { user_id: ec2.user.id, project_id: ec2.project.id }],
      ['another credential', remove(`/v3/credentials/${note.credential.id}`), undefined],
      ['trust', remove(`/v3/OS-TRUST/trusts/${trust.id}`), { 'OS-TRUST:trust_id': trust.id }],
      [
        'access token of OAuth1',
        remove(`/v3/users/${admin.user.id}/OS-OAUTH1/access_tokens/${access.token.id}`),
        { 'OS-OAUTH1:access_token_id': access.token.id },
      ],
      [
        'consumer of OAuth1',
        remove(`/v3/OS-OAUTH1/consumers/${consumed.consumer.id}`),
        { 'OS-OAUTH1:consumer_id': consumed.consumer.id },
      ],
      ['project', () => api.patch(`/v3/projects/${project.id}`, { project: disabled }), { project_id: project.id }],
      ['name of a project', () => api.patch(`/v3/projects/${project.id}`, { project: { description: 'x' } }), undefined],
      ['domain', () => api.patch(`/v3/domains/${domain.id}`, { domain: disabled }), { domain_id: domain.id }],
      ['expiry of a password', () => api.post(`/v3/users/${user.id}/OS-PASSWORD/expire`, undefined), undefined],
      [
        'password',
        () => api.patch(`/v3/users/${user.id}`, { user: { password: 'another one of a test' } }),
        { user_id: user.id },
      ],
    ];
    const all = async (): Promise<Record<string, string>[]> => assertOk(await api.get(EVENTS)).events;
    for (const [what, act, common] of cases) {
      const before = (await all()).length;
      await act();
      const added = (await all()).slice(before).map(({ issued_before: _, revoked_at: __, ...fields }) => fields);
      assert.deepEqual(added, common === undefined ? [] : [common], what);
    }
    assert.ok(
      (await all()).every((event) => Object.keys(event).length > 2),
      'none is about all tokens',
    );
  });

  it('are listed since a time, and not for longer than tokens live', async () => {
    const { events, links } = assertOk(await api.get(EVENTS));
    assert.ok(events.length > 0);
    assert.deepEqual(links, { self: `${api.url}${EVENTS}`, previous: null, next: null });
    const later = encodeURIComponent(isoOf(api.clock.now() + 60_000));
    assert.deepEqual(assertOk(await api.get(`${EVENTS}?since=${later}`)).events, []);
    assertRefused(await api.get(`${EVENTS}?since=yesterday`), 400, /since/);
  });

  it('are for services and administrators', async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const [service, reader] = [await api.persona(['service'], { project: project.id }), await api.persona(['reader'], 'system')];
    assertOk(await api.get(EVENTS, { token: service.token }));
    await assertForbidden(api, [reader.token], 'GET', EVENTS);
    await assertNeedsToken(api, 'GET', EVENTS);
  });

  it('are all there is: certificates of PKI tokens are gone', async () => {
    for (const path of ['ca', 'certificates'])
      assertRefused(await api.get(`/v3/OS-SIMPLE-CERT/${path}`, { token: null }), 410, /PKI/);
  });
});
