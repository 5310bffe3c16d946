// What users pass on: to programs (application credentials, OAuth1) and to each other (trusts).
import assert from 'node:assert/strict';
import { names, type OpenStackClient } from '../client.ts';

async function applicationCredentials(client: OpenStackClient): Promise<void> {
  const made = await client.read(
    "application credential create --role reader --description 'writes the report' nightly",
    'a secret, and the role',
    (credential) => {
      assert.ok(credential.secret);
      assert.equal(credential.roles, 'reader');
    },
  );
  await client.read('application credential list', 'has it', (list) => assert.deepEqual(names(list), ['nightly']));
  await client.read(
    '--os-auth-type v3applicationcredential --os-application-credential-id {id} --os-application-credential-secret {secret} token issue',
    'the program logs in',
    (token) => assert.equal(token.project_id, made.project_id),
    { id: made.id, secret: made.secret },
  );
  await client.run('application credential delete nightly', 'it is deleted');
}

async function trusts(client: OpenStackClient): Promise<void> {
  await client.read("user create --password 'secret of trudy' trudy", 'a trustee', (user) => assert.equal(user.name, 'trudy'));
  const as = "--os-username trudy --os-password 'secret of trudy' --os-user-domain-id default --os-trust-id {id}";
  for (const impersonate of [false, true]) {
    const option = impersonate ? ' --impersonate' : '';
    const trust = await client.read(`trust create --project admin --role reader${option} admin trudy`, 'the trust', (shown) => {
      assert.equal(shown.impersonation, impersonate);
      assert.match(shown.roles, /reader/);
    });
    const values = { id: trust.id };
    await client.read('trust list', 'has it', (list) => assert.ok(list.some((one: { ID: string }) => one.ID === trust.id)));
    await client.read(
      'trust show {id}',
      'the same',
      (shown) => assert.equal(shown.trustee_user_id, trust.trustee_user_id),
      values,
    );
    await client.read(
      `${as} token issue`,
      impersonate ? 'a token that names the trustor' : 'a token that names the trustee',
      (token) => {
        assert.equal(token.user_id, impersonate ? trust.trustor_user_id : trust.trustee_user_id);
        assert.equal(token.project_id, trust.project_id);
      },
      values,
    );
    await client.run('trust delete {id}', 'it is deleted', values);
    await client.refused(`${as} token issue`, 'it gives nothing any more', /HTTP 401/, values);
  }
}

async function oauth1(client: OpenStackClient): Promise<void> {
  const consumer = await client.read("consumer create --description 'the printer'", 'a consumer with a secret', (shown) =>
    assert.ok(shown.id && shown.secret),
  );
  const keys = { key: consumer.id, secret: consumer.secret };
  await client.read('consumer list', 'has it', (list) => assert.ok(list.some((one: { ID: string }) => one.ID === consumer.id)));
  await client.run("consumer set --description 'the new printer' {key}", 'it is changed', keys);
  await client.read('consumer show {key}', 'the new text', (shown) => assert.equal(shown.description, 'the new printer'), keys);
  const request = await client.read(
    'request token create --consumer-key {key} --consumer-secret {secret} --project admin',
    'a request token',
    (token) => assert.ok(token.id && token.secret),
    keys,
  );
  const { oauth_verifier: verifier } = await client.read(
    'request token authorize --request-key {request} --role reader',
    'a verifier',
    (token) => assert.match(token.oauth_verifier, /^\w{8}$/),
    { request: request.id },
  );
  const access = await client.read(
    'access token create --consumer-key {key} --consumer-secret {secret} --request-key {request} --request-secret {requestSecret} --verifier {verifier}',
    'an access token',
    (token) => assert.ok(token.id && token.secret),
    { ...keys, request: request.id, requestSecret: request.secret, verifier },
  );
  const signed =
    '--os-auth-type v3oauth1 --os-consumer-key {key} --os-consumer-secret {secret} --os-access-key {access} --os-access-secret {accessSecret}';
  const values = { ...keys, access: access.id, accessSecret: access.secret };
  await client.read(`${signed} token issue`, 'the consumer logs in', (token) => assert.ok(token.project_id), values);
  await client.run('consumer delete {key}', 'it is deleted', keys);
  await client.refused(`${signed} token issue`, 'and with it its access token', /HTTP 401/, values);
}

export async function delegations(client: OpenStackClient): Promise<void> {
  await applicationCredentials(client);
  await trusts(client);
  await oauth1(client);
}
