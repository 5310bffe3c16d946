import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../test/support/api.ts';

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
