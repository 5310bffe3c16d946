import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { before, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { type Ec2Person, ec2Person, exchange, signedS3, signedV2 } from '../../../../test/support/ec2.ts';

onEachDatabase('EC2 keys', (api) => {
  let ann: Ec2Person;
  before(async () => {
    ann = await ec2Person(api);
  });
  const one = (access: string) => `${ann.path}/${access}`;

  it('are created for a project, listed and shown as Keystone shows them', async () => {
    const { credential } = assertOk(await api.post(ann.path, { tenant_id: ann.project.id }, { token: ann.token }), 201);
    assert.match(credential.access, /^[0-9a-f]{32}$/);
    assert.match(credential.secret, /^[0-9a-f]{32}$/);
    assert.deepEqual(credential, {
      user_id: ann.user.id,
      tenant_id: ann.project.id,
      access: credential.access,
      secret: credential.secret,
      trust_id: null,
      links: { self: `${api.url}${one(credential.access)}` },
    });
    assert.deepEqual(assertOk(await api.get(one(credential.access), { token: ann.token })).credential, credential);
    const { credentials, links } = assertOk(await api.get(ann.path, { token: ann.token }));
    assert.deepEqual(
      credentials.find(({ access }: { access: string }) => access === credential.access),
      credential,
    );
    assert.equal(links.self, `${api.url}${ann.path}`);
    assertOk(await api.delete(one(credential.access), { token: ann.token }), 204);
    assertRefused(await api.get(one(credential.access), { token: ann.token }), 404);
  });

  it('are credentials, whose id is the hash of the access key, so that each is there once', async () => {
    const access = uniqueName('access');
    const credential = {
      type: 'ec2',
      user_id: ann.user.id,
      project_id: ann.project.id,
      blob: JSON.stringify({ access, secret: 'a secret that its owner chose' }),
    };
    const made = assertOk(await api.post('/v3/credentials', { credential }), 201).credential;
    assert.equal(made.id, createHash('sha256').update(access).digest('hex'));
    assertRefused(await api.post('/v3/credentials', { credential }), 409, /credential/);
    assert.equal(assertOk(await api.get(one(access), { token: ann.token })).credential.secret, 'a secret that its owner chose');
    const note = { ...credential, type: 'note' };
    assert.notEqual(assertOk(await api.post('/v3/credentials', { credential: note }), 201).credential.id, made.id);
    const passedOn = { ...credential, blob: JSON.stringify({ access, secret: 'x', trust_id: 'another' }) };
    assertRefused(await api.patch(`/v3/credentials/${made.id}`, { credential: passedOn }), 400, /trust_id/);
  });

  it('are for the owner and administrators; a system reader sees one', async () => {
    const { credential } = assertOk(await api.post(ann.path, { tenant_id: ann.project.id }), 201);
    const other = await ec2Person(api);
    const reader = await api.persona(['reader'], 'system');
    assertOk(await api.get(one(credential.access), { token: reader.token }));
    await assertForbidden(api, [other.token], 'GET', one(credential.access));
    await assertForbidden(api, [other.token, reader.token], 'GET', ann.path);
    await assertForbidden(api, [other.token, reader.token], 'DELETE', one(credential.access));
    await assertForbidden(api, [other.token, reader.token], 'POST', ann.path, { body: { tenant_id: ann.project.id } });
    for (const [method, path] of [
      ['GET', ann.path],
      ['GET', one(credential.access)],
      ['DELETE', one(credential.access)],
    ] as const)
      await assertNeedsToken(api, method, path);
    assertOk(await api.delete(one(credential.access)), 204);
  });

  it('are refused without a project, for one that is missing, and for a user who is missing', async () => {
    assertRefused(await api.post(ann.path, {}, { token: ann.token }), 400, /tenant_id/);
    assertRefused(await api.post(ann.path, { tenant_id: 'missing' }, { token: ann.token }), 404, /project/);
    assertRefused(await api.post('/v3/users/missing/credentials/OS-EC2', { tenant_id: ann.project.id }), 404, /user/);
    assertRefused(await api.get('/v3/users/missing/credentials/OS-EC2'), 404, /user/);
    assertRefused(await api.get(`/v3/users/${(await ec2Person(api)).user.id}/credentials/OS-EC2/${ann.key.access}`), 404);
  });

  it('give a token of their owner and project for a signed request, under each name of it', async () => {
    const request = signedV2(ann.key, api.clock.now());
    for (const name of ['credentials', 'credential', 'ec2Credentials']) {
      const answer = await api.post('/v3/ec2tokens', { [name]: request });
      const { token } = assertOk(answer);
      assert.deepEqual(token.methods, ['ec2credential']);
      assert.deepEqual([token.user.id, token.project.id], [ann.user.id, ann.project.id]);
      assert.deepEqual(token.roles.map((role: { name: string }) => role.name).sort(), ['member', 'reader']);
      assert.ok(Array.isArray(token.catalog));
      const text = answer.headers.get('x-subject-token')!;
      const shown = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } }));
      assert.deepEqual(shown.token, token);
    }
  });

  it('describe a token for a signed request to S3, without giving it', async () => {
    const answer = await api.post('/v3/s3tokens', { credentials: signedS3(ann.key) });
    assert.equal(assertOk(answer).token.user.id, ann.user.id);
    assert.equal(answer.headers.get('x-subject-token'), null);
    const [day, service] = ['20261117', 's3'];
    const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const signed = ['AWS4-HMAC-SHA256', `${day}T090000Z`, `${day}/RegionOne/${service}/aws4_request`, 'f'.repeat(64)].join('\n');
    const key4 = sign(sign(sign(sign(`AWS4${ann.key.secret}`, day), 'RegionOne'), service), 'aws4_request');
    const request = {
      access: ann.key.access,
      signature: sign(key4, signed).toString('hex'),
      token: Buffer.from(signed).toString('base64'),
    };
    assertOk(await api.post('/v3/s3tokens', { credentials: request }));
  });

  it('are asked about by services and administrators, and by nobody else', async () => {
    const service = await api.persona(['service'], { project: ann.project.id });
    assertOk(await exchange(api, signedV2(ann.key, api.clock.now()), service.token));
    const reader = await api.persona(['reader'], 'system');
    for (const path of ['/v3/ec2tokens', '/v3/s3tokens']) {
      const body = { credentials: signedV2(ann.key, api.clock.now()) };
      await assertNeedsToken(api, 'POST', path, body);
      await assertForbidden(api, [ann.token, reader.token], 'POST', path, { body });
    }
  });

  it('refuse an empty body with 400 and a missing signature with 401, as Keystone', async () => {
    for (const path of ['/v3/ec2tokens', '/v3/s3tokens']) {
      assertRefused(await api.post(path, {}), 400);
      for (const body of [
        { other: {} },
        { credentials: {} },
        { credentials: { access: ann.key.access } },
        { credentials: { access: 'unknown', signature: 'x' } },
        { credentials: { access: ann.key.access, signature: 'x' } },
      ])
        assertRefused(await api.post(path, body), 401);
    }
    assert.equal((await api.get('/v3/ec2tokens')).status, 405);
  });

  it('are shown with their secrets to any token of the owner, and made and deleted with a recent login', async () => {
    const bob = await ec2Person(api);
    api.clock.advance(901);
    const old = { token: bob.token };
    assert.equal(assertOk(await api.get(bob.path, old)).credentials[0].secret, bob.key.secret);
    assert.equal(assertOk(await api.get(`${bob.path}/${bob.key.access}`, old)).credential.secret, bob.key.secret);
    assertRefused(await api.post(bob.path, { tenant_id: bob.project.id }, old), 401);
    assertRefused(await api.delete(`${bob.path}/${bob.key.access}`, old), 401);
  });
});

onEachDatabase(
  'The number of credentials',
  (api) => {
    it('is limited for each user', async () => {
      const { path, token, project } = await ec2Person(api);
      for (const status of [201, 403]) assert.equal((await api.post(path, { tenant_id: project.id }, { token })).status, status);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_CREDENTIAL_LIMIT: '2' } },
);
