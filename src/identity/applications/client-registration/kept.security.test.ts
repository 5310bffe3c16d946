// Keeping an application that registered itself: what somebody looked at is what is kept.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { METADATA, REGISTERED, Stranger, setPolicy } from '../../../../test/support/self-registration.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

underAttack('An application that changes itself before it is kept', (api) => {
  before(() => setPolicy(api, { mode: 'open' }));
  const put = (stranger: Stranger, values: Record<string, unknown>, token?: string) =>
    stranger.manage('PUT', { ...METADATA, client_id: stranger.client.client_id, ...values }, token);

  it('is not kept as something else than what was looked at', async () => {
    const stranger = await Stranger.register(api);
    const keep = `${REGISTERED}/${stranger.client.client_id}/keep`;
    const { client_name: name, redirect_uris: uris } = stranger.client as { client_name: string; redirect_uris: string[] };
    const to = (path: string) => ({ redirect_uris: [`https://stranger.example.org/${path}`], client_name: name });
    const seen = (more: object = {}) => ({ registered_application: { name, redirect_uris: uris, ...more } });
    const body = assertOk(await put(stranger, to('elsewhere')));
    for (const old of [
      seen(),
      seen({ redirect_uris: [...uris, ...body.redirect_uris] }),
      { registered_application: { name: 'x' } },
    ]) {
      const answer = await api.post(keep, old);
      assert.deepEqual([answer.status, answer.body.error.title], [409, 'Conflict'], answer.text);
    }
    const change = async () => void assertOk(await put(stranger, to('third'), body.registration_access_token));
    const late = await whenAt('change.before-transaction', change, () =>
      api.post(keep, seen({ redirect_uris: body.redirect_uris })),
    );
    assert.equal(late.status, 409);
    assertOk(await api.post(keep, seen({ redirect_uris: ['https://stranger.example.org/third'] })));
  });
});
