// What programs use of a Keystone that moves in: the catalog, keys, application credentials and trusts, from the database that keystone.conf names.
import assert from 'node:assert/strict';
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { assertOk } from '../../test/support/answers.ts';
import { onEachDatabase } from '../../test/support/api.ts';
import { exchange, signedV2 } from '../../test/support/ec2.ts';
import { countsOf, importInto, jsonOf } from '../../test/support/imports.ts';
import { KeystoneSource } from '../../test/support/keystone-source.ts';

const PASSWORD = 'correct hörse 1';
const BCRYPT = '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O';
const EC2 = { access: 'an access key', secret: 'a secret of EC2' };

/** As Keystone encrypts it. */
function encrypted(key: Buffer, text: string): string {
  const vector = randomBytes(16);
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), vector);
  const head = Buffer.alloc(9);
  head[0] = 0x80;
  const signed = Buffer.concat([head, vector, cipher.update(text), cipher.final()]);
  const bytes = Buffer.concat([signed, createHmac('sha256', key.subarray(0, 16)).update(signed).digest()]);
  // With the padding that Python writes.
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

onEachDatabase('The programs of a Keystone that moves in', (api) => {
  const keystone = new KeystoneSource();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-keystone-conf-'));
  const conf = join(folder, 'keystone.conf');
  const keys = join(folder, 'credential-keys');
  const [old, current] = [randomBytes(32), randomBytes(32)];
  before(async () => {
    await keystone.start(api.kind);
    mkdirSync(keys);
    for (const [name, key] of [
      ['0', old],
      ['1', current],
    ] as const)
      writeFileSync(join(keys, name), `${key.toString('base64url')}=\n`);
    const connection = keystone.location.replace(/^postgres(?:ql)?:/, 'postgresql+psycopg2:');
    writeFileSync(
      conf,
      `# a comment\n[database]\nconnection = ${connection.startsWith('/') ? `sqlite:///${connection}` : connection}\n\n[credential]\nkey_repository = ${keys}\n[token]\nexpiration = 7200\n[security_compliance]\nlockout_failure_attempts = 5\n`,
    );
    await keystone.domain('harbour');
    await keystone.project('docks', 'harbour');
    await keystone.role('pilot', 'pilot');
    for (const name of ['ann', 'bob']) await keystone.user(name, name, 'harbour', [BCRYPT]);
    await keystone.assign('UserProject', 'ann', 'docks', 'pilot');
    await keystone.insert('region', { id: 'a-part', description: '', parent_region_id: 'whole', extra: '{}' });
    await keystone.insert('region', { id: 'whole', description: 'All of it', extra: '{}' });
    await keystone.insert('service', {
      id: 'compute',
      type: 'compute',
      enabled: true,
      extra: '{"name":"nova","description":"Machines"}',
    });
    await keystone.insert('endpoint', {
      ...{ id: 'nova-public', interface: 'public', service_id: 'compute', url: 'http://nova.example/%(project_id)s' },
      ...{ extra: '{}', enabled: true, region_id: 'a-part' },
    });
    await keystone.insert('endpoint_group', { id: 'group', name: 'all', filters: '{"interface":"public"}' });
    await keystone.insert('project_endpoint_group', { endpoint_group_id: 'group', project_id: 'docks' });
    await keystone.insert('policy', { id: 'rules', type: 'application/json', blob: '"{}"', extra: '{}' });
    const id = createHash('sha256').update(EC2.access).digest('hex');
    const owned = { user_id: 'ann', project_id: 'docks', extra: '{}', key_hash: '' };
    await keystone.insert(
      'credential',
      { ...owned, id, type: 'ec2', encrypted_blob: encrypted(old, JSON.stringify(EC2)) },
      { ...owned, id: 'note', type: 'note', encrypted_blob: encrypted(current, 'a text') },
      { ...owned, id: 'lost', type: 'note', encrypted_blob: encrypted(randomBytes(32), 'of a key that nobody has') },
    );
    await keystone.insert('access_rule', {
      id: 1,
      service: 'identity',
      path: '/v3/users',
      method: 'GET',
      external_id: 'rule',
      user_id: 'ann',
    });
    await keystone.insert('application_credential', {
      ...{
        internal_id: 1,
        id: 'robot',
        name: 'robot',
        secret_hash: BCRYPT,
        user_id: 'ann',
        project_id: 'docks',
        unrestricted: false,
      },
    });
    await keystone.insert('application_credential_role', { application_credential_id: 1, role_id: 'pilot' });
    await keystone.insert('application_credential_access_rule', { application_credential_id: 1, access_rule_id: 1 });
    const trust = { trustor_user_id: 'ann', trustee_user_id: 'bob', project_id: 'docks', impersonation: false, extra: '{}' };
    await keystone.insert('trust', { ...trust, id: 'a-passed-on', redelegated_trust_id: 'z-first', redelegation_count: 1 });
    await keystone.insert('trust', { ...trust, id: 'z-first', remaining_uses: 3, redelegation_count: 2 });
    await keystone.insert('trust', { ...trust, id: 'deleted', deleted_at: '2024-01-01 00:00:00' });
    for (const trust_id of ['a-passed-on', 'z-first', 'deleted'])
      await keystone.insert('trust_role', { trust_id, role_id: 'pilot' });
  });
  after(async () => {
    await keystone.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are here, but for what nobody can decrypt', async () => {
    const report = await importInto(api, 'keystone', conf);
    const { not_taken: notTaken } = jsonOf(report);
    assert.deepEqual(
      notTaken.lines.map(({ what }) => what),
      ['credential lost'],
    );
    assert.deepEqual(countsOf(report, 'region'), { read: 2, made: 2 });
    assert.deepEqual(countsOf(report, 'trust'), { read: 2, made: 2 });
    assert.doesNotMatch(JSON.stringify(report.json()), /a secret of EC2|\$2b\$/);
    assert.match(report.text(false), /GATEHOUSE_IDENTITY_TOKEN_SECONDS=7200 {3}\(\[token\] expiration\)/);
    const { service } = assertOk(await api.get('/v3/services/compute'));
    assert.deepEqual([service.name, service.type, service.description], ['nova', 'compute', 'Machines']);
    const { region } = assertOk(await api.get('/v3/regions/a-part'));
    assert.equal(region.parent_region_id, 'whole');
    const { policy } = assertOk(await api.get('/v3/policies/rules'));
    assert.equal(policy.blob, '{}');
    const { credential } = assertOk(await api.get('/v3/credentials/note'));
    assert.equal(credential.blob, 'a text');
  });

  it('see the endpoints that their project has', async () => {
    const { token } = assertOk(await api.authenticate({ id: 'ann', password: PASSWORD }, { project: { id: 'docks' } }), 201);
    const nova = token.catalog.find(({ name }: any) => name === 'nova');
    assert.deepEqual(
      nova?.endpoints.map(({ url, region_id }: any) => [url, region_id]),
      [['http://nova.example/docks', 'a-part']],
      JSON.stringify(token.catalog),
    );
  });

  it('log in with what they have', async () => {
    const identity = {
      methods: ['application_credential'],
      application_credential: { id: 'robot', secret: PASSWORD },
    };
    const robot = await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null });
    const { token } = assertOk(robot, 201);
    assert.deepEqual([token.user.id, token.project.id, token.roles.map(({ name }: any) => name)], ['ann', 'docks', ['pilot']]);
    const limited = robot.headers.get('x-subject-token')!;
    assert.equal((await api.get('/v3/projects', { token: limited })).status, 401, 'its access rules are kept');
    const { token: trusted } = assertOk(
      await api.authenticate({ id: 'bob', password: PASSWORD }, { 'OS-TRUST:trust': { id: 'z-first' } }),
      201,
    );
    assert.equal(trusted.project.id, 'docks');
    const { token: byKey } = assertOk(await exchange(api, signedV2(EC2, api.clock.now()), api.adminToken));
    assert.equal(byKey.user.id, 'ann');
  });

  it('are taken once', async () => {
    const report = await importInto(api, 'keystone', conf);
    for (const kind of ['region', 'service', 'endpoint', 'credential', 'application_credential', 'trust', 'project_endpoint'])
      assert.equal(countsOf(report, kind).made, undefined, kind);
  });
});
