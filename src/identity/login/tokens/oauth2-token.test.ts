import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';

interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly error: string;
  readonly error_description: string;
}

onEachDatabase('POST /v3/OS-OAUTH2/token', (api) => {
  let credential: { id: string; secret: string };
  let userId: string;
  let path: string;
  let owner: string;
  before(async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const person = await api.persona(['member'], { project: project.id });
    path = `/v3/users/${person.user.id}/application_credentials`;
    const body = { application_credential: { name: uniqueName('program') } };
    credential = assertOk(await api.post(path, body, { token: person.token }), 201).application_credential;
    [userId, owner] = [person.user.id, person.token];
  });

  const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const ask = async (authorization: string | undefined, form: Record<string, string> = { grant_type: 'client_credentials' }) => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const answer = await fetch(`${api.url}/v3/OS-OAUTH2/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as TokenAnswer };
  };

  it('gives a token of the application credential, which ends with it', async () => {
    const { status, body } = await ask(basic(credential.id, credential.secret));
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in']);
    assert.equal(body.token_type, 'Bearer');
    assert.ok(body.expires_in > 60);
    const validate = () => api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': body.access_token } });
    const { token } = assertOk(await validate());
    assert.deepEqual([token.user.id, token.methods], [userId, ['application_credential']]);
    assertOk(await api.delete(`${path}/${credential.id}`, { token: owner }), 204);
    assert.equal((await validate()).status, 404);
    assert.equal((await ask(basic(credential.id, credential.secret))).status, 401);
  });

  it('refuses as OAuth2 does, and says nothing of what was wrong with the secret', async () => {
    const refusals: [authorization: string | undefined, form: Record<string, string>, status: number, error: string][] = [
      [undefined, { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      ['Bearer x', { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic('', 'x'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic('unknown', ''), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic('unknown', 'x'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic(credential.id, ''), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic('x'.repeat(256), 'x'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic(credential.id, 'x'.repeat(4097)), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic(`${credential.id}\0`, credential.secret), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic(credential.id, 'wrong'), { grant_type: 'client_credentials' }, 401, 'invalid_client'],
      [basic(credential.id, 'x'), { scope: 'y' }, 400, 'invalid_request'],
      [basic(credential.id, 'x'), { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ];
    for (const [authorization, form, status, error] of refusals) {
      const answer = await ask(authorization, form);
      assert.deepEqual([answer.status, answer.body.error], [status, error], JSON.stringify(form));
      if (status === 401) assert.match(answer.headers.get('www-authenticate')!, /^Basic/);
      if (status === 401) assert.equal(answer.body.error_description, 'Client authentication failed.');
    }
    assert.ok(!api.logged.join('\n').includes(credential.secret));
  });
});
