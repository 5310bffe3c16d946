// All tokens of a user end at once: who may do it, and what ends.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeProgram, type ProgramOwner, tokenOfProgram } from '../../../../test/support/programs.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const pathOf = (id: string): string => `/v3/users/${id}/tokens`;

/** A program with an application credential of the person, and a token of it. */
async function programOf(api: TestApi, owner: ProgramOwner) {
  const made = await makeProgram(api, owner);
  const logIn = (): Promise<string> => tokenOfProgram(api, made);
  return { logIn, token: await logIn() };
}

onUsualDatabase('All tokens of a user', (api) => {
  const member = async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    return api.persona(['member'], { project: project.id });
  };

  it('end when an administrator or the user says so, those of their programs too, and the user logs in again', async () => {
    for (const by of ['administrator', 'user'] as const) {
      const person = await member();
      const program = await programOf(api, person);
      const [unscoped, other] = [await api.logIn({ id: person.user.id, password: person.password }), await member()];
      const answer = await api.delete(pathOf(person.user.id), by === 'user' ? { token: person.token } : {});
      assertOk(answer, 204);
      assert.equal(answer.text, '');
      for (const token of [person.token, unscoped, program.token]) assert.equal(await isAlive(api, token), false, by);
      assert.equal(await isAlive(api, other.token), true, 'of nobody else');
      assert.equal((await api.get('/v3/auth/projects', { token: person.token })).status, 401);
      assert.equal(await isAlive(api, await api.logIn({ id: person.user.id, password: person.password })), true);
      assert.equal(await isAlive(api, await program.logIn()), true, 'what was passed on stays');
    }
  });

  it('end with the sessions and with what applications got, and are in the list of revocations', async () => {
    const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
    const tokens = await party.tokensFor(person, { scope: 'openid offline_access' }, browser);
    assert.equal(await party.isActive(tokens.access_token), true);
    assertOk(await api.delete(pathOf(person.id)), 204);
    assert.equal(await party.isActive(tokens.access_token), false);
    await assert.rejects(refreshTokenGrant(party.config, tokens.refresh_token!), { error: 'invalid_grant' });
    assert.equal(stepOf(await browser.go('/account')), 'password');
    const { events } = assertOk(await api.get('/v3/OS-REVOKE/events'));
    assert.ok(events.some((event: { user_id?: string }) => event.user_id === person.id));
  });

  it('do not end by a stranger, a manager, a reader, or a program of the user', async () => {
    const person = await member();
    const program = await programOf(api, person);
    const others = [
      (await member()).token,
      (await api.persona(['manager', 'reader'], { domain: 'default' })).token,
      (await api.persona(['reader'], 'system')).token,
      program.token,
    ];
    const path = pathOf(person.user.id);
    await assertForbidden(api, others, 'DELETE', path);
    await assertNeedsToken(api, 'DELETE', path);
    assert.deepEqual([await isAlive(api, person.token), await isAlive(api, program.token)], [true, true]);
  });

  it('are no tokens of nobody: whoever may not know it is refused, an administrator gets 404', async () => {
    const path = pathOf('0'.repeat(32));
    assertRefused(await api.delete(path), 404, /user/);
    assert.equal((await api.delete(path, { token: (await member()).token })).status, 403);
  });
});
