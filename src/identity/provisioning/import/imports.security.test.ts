// What a later import, a merge, or a source that somebody made must not bring back, widen or confuse.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';

const PATH = '/v3/OS-IMPORT/imports';

underAttack('Security of imports', (api) => {
  async function begin(source: string, merge: readonly string[] = []): Promise<string> {
    return assertOk(await api.post(PATH, { import: { source, kind: 'csv', rehearsal: false, merge } }), 201).import.id;
  }
  const take = async (id: string, kind: string, record: object) => {
    const { records } = assertOk(await api.post(`${PATH}/${id}/batches`, { batch: { kind, records: [record] } }));
    return records[0] as { readonly outcome: string; readonly id: string; readonly why?: string };
  };
  const isEnabled = async (noun: string, id: string): Promise<boolean> =>
    assertOk(await api.get(`/v3/${noun}s/${id}`))[noun].enabled;

  it('leaves disabled what was disabled here, whatever else the source says of it', async () => {
    const id = await begin(uniqueName('source'));
    const name = uniqueName('place');
    const made = {
      domain: await take(id, 'domain', { key: 'd', name, enabled: true }),
      project: await take(id, 'project', { key: 'p', name, domain: 'd', enabled: true }),
      user: await take(id, 'user', { key: 'u', name, domain: 'd', enabled: true, last_active_at: 1 }),
    };
    for (const [noun, one] of Object.entries(made).reverse()) {
      assert.equal(one.outcome, 'made');
      assertOk(await api.patch(`/v3/${noun}s/${one.id}`, { [noun]: { enabled: false } }));
    }
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    assertOk(await api.patch(`/v3/users/${made.user.id}`, { user: { options } }));
    const again = [
      await take(id, 'domain', { key: 'd', name, enabled: true, description: 'more', extra: { enabled: true } }),
      await take(id, 'project', { key: 'p', name, domain: 'd', enabled: true, tags: ['more'], extra: { enabled: true } }),
      await take(id, 'user', { key: 'u', name, domain: 'd', enabled: true, attributes: { desk: 7 }, last_active_at: 2 }),
    ];
    assert.deepEqual(
      again.map(({ outcome }) => outcome),
      ['changed', 'changed', 'changed'],
    );
    for (const [noun, one] of Object.entries(made)) assert.equal(await isEnabled(noun, one.id), false, noun);
    const { user } = assertOk(await api.get(`/v3/users/${made.user.id}`));
    assert.deepEqual([user.desk, user.options], [7, options]);
    // What the source says anew, counts.
    assertOk(await api.patch(`/v3/users/${made.user.id}`, { user: { enabled: true } }));
    await take(id, 'user', { key: 'u', name, domain: 'd', enabled: false, attributes: { desk: 8 } });
    assert.equal(await isEnabled('user', made.user.id), false);
  });

  it('takes a domain for no project and a project for no domain, whatever is merged', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
    const id = await begin(uniqueName('source'), ['domain', 'project', 'user']);
    await take(id, 'domain', { key: 'd', name: domain.name });
    const asProject = { key: 'p', id: domain.id, name: uniqueName('project'), domain: 'd', enabled: false };
    const asDomain = { key: 'e', id: project.id, name: uniqueName('domain') };
    for (const [kind, record] of [['project', asProject] as const, ['domain', asDomain] as const]) {
      const { outcome, why } = await take(id, kind, record);
      assert.equal(outcome, 'clash');
      assert.match(why!, /its id is that of something else here/);
    }
    assert.deepEqual([await isEnabled('domain', domain.id), await isEnabled('project', project.id)], [true, true]);
    assert.equal((await take(id, 'user', { key: 'u', name: 'u', domain: 'e' })).outcome, 'refused');
  });

  it('gives back no use of a trust, and no time that it had', async () => {
    const id = await begin(uniqueName('source'));
    const name = uniqueName('place');
    await take(id, 'domain', { key: 'd', name });
    await take(id, 'project', { key: 'p', name, domain: 'd' });
    for (const key of ['giver', 'taker']) await take(id, 'user', { key, name: key, domain: 'd' });
    const trust = { key: 't', trustor: 'giver', trustee: 'taker', project: 'p', impersonation: false, roles: [] };
    const { id: here } = await take(id, 'trust', { ...trust, expires_at: 4_000_000_000, remaining_uses: 3 });
    const ends = async () => {
      const { trust: shown } = assertOk(await api.get(`/v3/OS-TRUST/trusts/${here}`));
      return [shown.remaining_uses, shown.expires_at];
    };
    const before = await ends();
    assert.equal((await take(id, 'trust', { ...trust, expires_at: 4_100_000_000, remaining_uses: 9 })).outcome, 'changed');
    assert.deepEqual(await ends(), before);
    await take(id, 'trust', trust);
    assert.deepEqual(await ends(), before);
    await take(id, 'trust', { ...trust, expires_at: 4_000_000_000, remaining_uses: 1 });
    assert.deepEqual(await ends(), [1, before[1]]);
  });

  it('ends what was revoked in the source', async () => {
    const password = 'a password of a test';
    const user = await api.make('user', { name: uniqueName('user'), password });
    const token = await api.logIn({ id: user.id, password });
    const now = Math.floor(api.clock.now() / 1000);
    const { token: shown } = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } }));
    const event = { key: '1', audit_id: shown.audit_ids[0], issued_before: now };
    const rehearsal = { import: { source: 'a', kind: 'csv', rehearsal: true } };
    await take(assertOk(await api.post(PATH, rehearsal), 201).import.id, 'revocation', event);
    assert.ok(await isAlive(api, token));
    const id = await begin(uniqueName('source'));
    assert.equal((await take(id, 'revocation', event)).outcome, 'made');
    assert.equal((await take(id, 'revocation', { key: '2', user_id: 'nobody', issued_before: now })).outcome, 'unchanged');
    assert.equal((await take(id, 'revocation', { key: '4', role_id: 'any', issued_before: 1 })).outcome, 'unchanged');
    assert.equal((await take(id, 'revocation', { key: '5', audit_id: 'short', issued_before: 1 })).outcome, 'unchanged');
    assert.ok(!(await isAlive(api, token)));
    // Of a person, only tokens that the source issued end, which are none of ours.
    const other = await api.logIn({ id: user.id, password });
    assert.equal((await take(id, 'revocation', { key: '3', user_id: user.id, issued_before: now + 999 })).outcome, 'made');
    assert.ok(await isAlive(api, other));
  });
});
