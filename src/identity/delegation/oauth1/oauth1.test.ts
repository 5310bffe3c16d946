import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onBothDatabases } from '../../../../test/support/api.ts';
import {
  askAccessToken,
  askRequestToken,
  authorize,
  keyOf,
  makeAccessToken,
  makeConsumer,
  oauth1Person,
  signedLogin,
} from '../../../../test/support/oauth1.ts';
import { isSignedBy, readAuthorization } from './signature.ts';

const consumers = '/v3/OS-OAUTH1/consumers';
const names = (roles: readonly { name: string }[]): string[] => roles.map(({ name }) => name);

onBothDatabases('OAuth1', (api) => {
  let ann: Awaited<ReturnType<typeof oauth1Person>>;
  before(async () => {
    ann = await oauth1Person(api);
  });

  it('has consumers: created with a secret that is shown once, shown, listed, changed and deleted', async () => {
    const { secret, ...created } = (await makeConsumer(api, { 'some:weird-field': 'x' })) as OAuthConsumer;
    assert.match(secret, /^[\w-]{43}$/);
    assert.equal(created.some_weird_field, 'x');
    const one = `${consumers}/${created.id}`;
    assert.deepEqual((await api.get(one)).body.consumer, created);
    assert.equal((await api.head(one)).status, 200);
    const listed = (await api.get(consumers)).body.consumers;
    assert.deepEqual(
      listed.find(({ id }: { id: string }) => id === created.id),
      created,
    );
    const changed = await api.patch(one, { consumer: { description: 'another printer' } });
    assert.deepEqual(changed.body.consumer, { ...created, description: 'another printer' });
    await Promise.all(['a', 'b', 'c'].map((name) => api.patch(one, { consumer: { [name]: name } })));
    const { a, b, c, description } = (await api.get(one)).body.consumer;
    assert.deepEqual([a, b, c, description], ['a', 'b', 'c', 'another printer'], 'changes at the same time are all kept');
    for (const consumer of [{ secret: 'x' }, { id: 'x' }, {}]) assert.equal((await api.patch(one, { consumer })).status, 400);
    assert.equal((await api.post(consumers, { consumer: {} })).body.consumer.description, null);
    assert.equal((await api.delete(one)).status, 204);
    assert.equal((await api.get(one)).status, 404);
  });

  it('passes roles on in three steps; the consumer logs in to the project with them, whatever scope it names', async () => {
    const { consumer, request, verifier, token } = await makeAccessToken(api, ann);
    assert.match(verifier, /^[a-zA-Z2-9]{8}$/);
    for (const scope of [undefined, 'unscoped', { project: { id: 'another' } }]) {
      const answer = await signedLogin(api, { consumer, token }, scope);
      assert.equal(answer.status, 201, answer.text);
      const shown = answer.body.token;
      assert.deepEqual(shown.methods, ['oauth1']);
      assert.deepEqual(shown['OS-OAUTH1'], { access_token_id: token.id, consumer_id: consumer.id });
      assert.equal(shown.user.id, ann.user.id);
      assert.equal(shown.project.id, ann.project.id);
      assert.deepEqual(names(shown.roles), ['member', 'reader']);
    }
    for (const [method, hash] of [
      ['HMAC-SHA256', 'sha256'],
      ['HMAC-SHA512', 'sha512'],
    ] as const)
      assert.equal((await signedLogin(api, { consumer, token, method, hash })).status, 201, method);
    assert.equal((await askAccessToken(api, { consumer, token: request, verifier })).status, 401, 'the request token was used');
  });

  it('tells when a token ends as Keystone does: not encoded, and as the access token shows it', async () => {
    const consumer = await makeConsumer(api);
    const answer = await askRequestToken(api, ann.project.id, { consumer });
    const form =
      /^oauth_token=([0-9a-f]{32})&oauth_token_secret=([\w-]{43})&oauth_expires_at=(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)$/;
    assert.match(answer.text, form);
    const request = keyOf(answer);
    const verifier = (await authorize(api, ann.token, request)).body.token.oauth_verifier;
    const [, id, , end] = form.exec((await askAccessToken(api, { consumer, token: request, verifier })).text)!;
    const shown = await api.get(`/v3/users/${ann.user.id}/OS-OAUTH1/access_tokens/${id}`);
    assert.equal(shown.body.access_token.expires_at, end);
  });

  it('shows a user their access tokens, with their roles, and deletes them with what was made with them', async () => {
    const { consumer, token } = await makeAccessToken(api, ann);
    const all = `/v3/users/${ann.user.id}/OS-OAUTH1/access_tokens`;
    const { body } = await api.get(all, { token: ann.token });
    const listed = body.access_tokens.find(({ id }: { id: string }) => id === token.id);
    assert.equal(listed.consumer_id, consumer.id);
    assert.equal(listed.authorizing_user_id, ann.user.id);
    assert.equal(listed.project_id, ann.project.id);
    assert.deepEqual((await api.get(`${all}/${token.id}`)).body.access_token, listed);
    const { roles } = (await api.get(`${all}/${token.id}/roles`, { token: ann.token })).body;
    assert.deepEqual(names(roles), ['member']);
    assert.deepEqual((await api.get(`${all}/${token.id}/roles/${roles[0].id}`)).body.role, roles[0]);
    assert.equal((await api.get(`${all}/${token.id}/roles/${await api.roleId('admin')}`)).status, 404);
    const text = (await signedLogin(api, { consumer, token })).headers.get('x-subject-token')!;
    assert.equal((await api.delete(`${all}/${token.id}`, { token: ann.token })).status, 204);
    assert.equal((await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } })).status, 404);
    assert.equal((await signedLogin(api, { consumer, token })).status, 401);
    assert.equal((await api.get(`${all}/${token.id}`)).status, 404);
  });

  it('refuses what Keystone refuses', async () => {
    const consumer = await makeConsumer(api);
    assert.equal((await askRequestToken(api, 'f'.repeat(32), { consumer })).status, 404);
    assert.equal((await askRequestToken(api, ann.project.id, { consumer }, 'Basic eDp5')).status, 400);
    assert.equal((await askRequestToken(api, ann.project.id, { consumer }, 'OAuth oauth_consumer_key=x')).status, 400);
    const request = keyOf(await askRequestToken(api, ann.project.id, { consumer }));
    assert.equal((await authorize(api, ann.token, request, [{ fake: 'x' }])).status, 400);
    assert.equal((await authorize(api, ann.token, request, [])).status, 400);
    assert.equal((await authorize(api, ann.token, request, [{ name: 'nobody has it' }])).status, 404);
    assert.equal((await authorize(api, ann.token, request, [{ name: 'service' }])).status, 401);
    assert.equal((await authorize(api, ann.token, { id: 'f'.repeat(32), secret: '' })).status, 404);
    assert.equal((await askAccessToken(api, { consumer, token: request })).status, 400, 'no verifier');
    assert.equal((await askAccessToken(api, { consumer, token: request, verifier: 'abcdefgh' })).status, 401, 'not authorized');
    assert.equal((await authorize(api, ann.token, request)).status, 200);
    assert.equal((await askAccessToken(api, { consumer, token: request, verifier: 'abcdefgh' })).status, 401, 'wrong verifier');
    assert.equal((await api.get('/v3/OS-OAUTH1/request_token')).status, 405);
  });

  it('ends request tokens after eight hours and access tokens after a day', async () => {
    const { consumer, token } = await makeAccessToken(api, ann);
    const request = keyOf(await askRequestToken(api, ann.project.id, { consumer }));
    api.clock.advance(8 * 3600 + 1);
    const fresh = await api.logIn({ id: ann.user.id, password: ann.password }, { project: { id: ann.project.id } });
    assert.equal((await authorize(api, fresh, request)).status, 401);
    api.clock.advance(16 * 3600);
    assert.equal((await signedLogin(api, { consumer, token })).status, 401);
  });
});

interface OAuthConsumer {
  readonly id: string;
  readonly secret: string;
  readonly some_weird_field?: string;
}

describe('A signature of OAuth1', () => {
  /** Appendix A.5 of OAuth Core 1.0. */
  const header = (signature: string) =>
    `OAuth realm="http://photos.example.net/",oauth_consumer_key="dpf43f3p2l4k3l03",oauth_token="nnch734d00sl2jdk",oauth_signature_method="HMAC-SHA1",oauth_signature="${signature}",oauth_timestamp="1191242096",oauth_nonce="kllo9940pd9333jh",oauth_version="1.0"`;
  const request = (url: string, authorization: string) => ({ method: 'GET', url, authorization });
  const secrets = { consumer: 'kd94hf93k423kf44', token: 'pfkkdhi9sl3r4s00' };
  const right = header('tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D');

  it('is that of the specification, also for another order and a default port', () => {
    for (const url of [
      'http://photos.example.net/photos?file=vacation.jpg&size=original',
      'http://photos.example.net/photos?size=original&file=vacation.jpg',
      'http://PHOTOS.example.net:80/photos?size=original&file=vacation.jpg',
    ])
      assert.ok(isSignedBy(request(url, right), readAuthorization(right, 1191242096), secrets), url);
  });

  it('is of this address, method, query and time, and of both secrets', () => {
    const url = 'http://photos.example.net/photos?file=vacation.jpg&size=original';
    const parameters = readAuthorization(right, 1191242096);
    for (const other of [
      url.replace('http:', 'https:'),
      `${url}&more=1`,
      url.replace('original', 'small'),
      url.replace('/photos?', '/all?'),
    ])
      assert.ok(!isSignedBy(request(other, right), parameters, secrets), other);
    assert.ok(!isSignedBy({ ...request(url, right), method: 'POST' }, parameters, secrets));
    assert.ok(!isSignedBy(request(url, right), parameters, { ...secrets, token: '' }));
    assert.ok(!isSignedBy(request(url, right), parameters, { ...secrets, consumer: '' }));
    for (const signature of ['', 'eA%3D%3D', 'tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3Dx', '%ff'])
      assert.throws(() => {
        const found = readAuthorization(header(signature), 1191242096);
        if (!isSignedBy(request(url, right), found, secrets)) throw new Error('not signed');
      }, signature);
  });
});
