// How long a token lives that an application got with an access token (method `oauth2`), and what ends it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { programToken } from '../../../../test/support/every-route.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';

const MINUTE = 60;

onEachDatabase('A token made with an access token', (api) => {
  let person: Awaited<ReturnType<typeof makePerson>>;
  let client: KeyrockClient;
  beforeEach(async () => {
    person = await makePerson(api);
    client = await KeyrockClient.make(api);
  });

  /** The library that issues access tokens has a clock of its own, so each test begins at the same time. */
  let moved = 0;
  const advance = (seconds: number): void => {
    moved += seconds;
    api.clock.advance(seconds);
  };
  afterEach(() => advance(-moved));

  const isGood = async (token: string): Promise<boolean> =>
    (await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } })).status === 200;

  async function logIn(access: string) {
    const login = await logInByAccessToken(api, access, undefined);
    assert.equal(login.status, 201, login.text);
    const seconds = (Date.parse(login.body.token.expires_at) - api.clock.now()) / 1000;
    return { token: login.headers.get('x-subject-token')!, seconds };
  }

  it('ends after ten minutes, as it says, and a new one can be had', async () => {
    const { access_token: access } = await client.tokens(person);
    const program = await programToken(api, 'member');
    const { token, seconds } = await logIn(access);
    assert.ok(seconds > 9 * MINUTE && seconds <= 10 * MINUTE, String(seconds));
    const again = await api.post(
      '/v3/auth/tokens',
      { auth: { identity: { methods: ['token'], token: { id: token } } } },
      { token: null },
    );
    advance(9 * MINUTE);
    assert.ok(await isGood(token));
    advance(MINUTE + 1);
    for (const ended of [token, again.headers.get('x-subject-token')!]) assert.ok(!(await isGood(ended)));
    assert.ok(await isGood(program), 'those of application credentials live as long as those of a password');
    assert.ok(await isGood((await logIn(access)).token));
  });

  it('ends with the access token at the latest', async () => {
    const { access_token: access, expires_in: life } = await client.tokens(person);
    advance(life - 2 * MINUTE);
    const { token, seconds } = await logIn(access);
    assert.ok(seconds > MINUTE && seconds <= 2 * MINUTE, String(seconds));
    advance(2 * MINUTE + 1);
    assert.ok(!(await isGood(token)));
    assert.equal((await logInByAccessToken(api, access, undefined)).status, 401);
  });

  it('ends with the password of the person; after the access token was revoked it is the last one', async () => {
    const { access_token: access } = await client.tokens(person);
    const { token } = await logIn(access);
    const path = `/v3/users/${person.user.id}`;
    const { access_tokens: all } = (await api.get(`${path}/OS-OAUTH2/access_tokens`)).body;
    for (const one of all) assert.equal((await api.delete(`${path}/OS-OAUTH2/access_tokens/${one.id}`)).status, 204);
    assert.equal((await logInByAccessToken(api, access, undefined)).status, 401);
    assert.ok(await isGood(token), 'it lives for ten minutes at most');
    assert.equal((await api.patch(path, { user: { password: 'another password of a test' } })).status, 200);
    assert.ok(!(await isGood(token)));
  });
});
