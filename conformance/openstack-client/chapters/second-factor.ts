import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import type { OpenStackClient } from '../client.ts';

const KEY = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const PERIOD_MS = 30_000;

/** A code from an independent implementation, for a time step that was not used yet: each code is valid once. */
async function code(used: Set<number>): Promise<string> {
  while (used.has(Math.floor(Date.now() / PERIOD_MS))) await sleep(500);
  used.add(Math.floor(Date.now() / PERIOD_MS));
  return new TOTP({ secret: KEY }).generate();
}

/** The client accepts a list of methods only from a YAML file. JSON is valid YAML. */
function writeCloud(client: OpenStackClient, passcode: string): void {
  const auth = {
    auth_url: client.authUrl,
    auth_methods: ['v3password', 'v3totp'],
    username: 'careful',
    password: 'secret',
    user_domain_id: 'default',
    passcode,
  };
  writeFileSync(
    client.cloudsFile,
    JSON.stringify({ clouds: { careful: { auth_type: 'v3multifactor', auth, identity_api_version: 3 } } }),
  );
}

export async function secondFactor(client: OpenStackClient): Promise<void> {
  const used = new Set<number>();
  await client.read('user create --password secret careful', 'a user', (user) => assert.equal(user.name, 'careful'));
  const credential = await client.read(
    'credential create --type totp careful {key}',
    'the key of their app',
    (made) => assert.equal(made.blob, KEY),
    {
      key: KEY,
    },
  );
  await client.read('credential show {id}', 'the credential', (shown) => assert.equal(shown.type, 'totp'), { id: credential.id });
  await client.read('credential list --type totp', 'one credential', (list) => assert.equal(list.length, 1));
  await client.run(
    'user set --enable-multi-factor-auth --multi-factor-auth-rule password,totp careful',
    'both are asked for from now on',
  );

  const user = '--os-username careful --os-password secret --os-user-domain-id default';
  await client.refused(`${user} token issue`, 'the password alone is not enough', /auth rules/i);
  writeCloud(client, await code(used));
  await client.read('--os-cloud careful token issue', 'password and code (v3multifactor) give a token', (token) =>
    assert.ok(token.id),
  );
  writeCloud(client, '000000');
  await client.refused('--os-cloud careful token issue', 'a wrong code does not', /401/);

  await client.run('user set --disable-multi-factor-auth careful', 'the rule is switched off');
  await client.read(`${user} token issue`, 'the password is enough again', (token) => assert.ok(token.id));
  await client.run('credential set --user careful --type cert --data pem {id}', 'the credential is another one', {
    id: credential.id,
  });
  await client.run('credential delete {id}', 'it is gone', { id: credential.id });
}
