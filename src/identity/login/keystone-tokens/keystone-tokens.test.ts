import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { onDatabase, onEachDatabase, type TestApi, uniqueName, withApi } from '../../../../test/support/api.ts';
import { BITS, packedId, signedToken, TestKeystone } from '../../../../test/support/keystone-tokens.ts';
import { makeAccessToken, oauth1Person } from '../../../../test/support/oauth1.ts';
import { makeTrust, trustPerson } from '../../../../test/support/trusts.ts';

const keystone = new TestKeystone();
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
writeFileSync(join(keystone.jwsKeys, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
const SETTINGS = {
  GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS: keystone.fernetKeys,
  GATEHOUSE_IDENTITY_KEYSTONE_JWS_KEYS: keystone.jwsKeys,
};
const PASSWORD = 'a password of a test';

async function validate(api: TestApi, text: string): Promise<any> {
  return assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } })).token;
}

async function person(api: TestApi, roles: readonly string[] = ['member']) {
  const project = await api.make('project', { name: uniqueName('project') });
  const user = await api.make('user', { name: uniqueName('user'), password: PASSWORD });
  for (const role of roles)
    assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId(role)}`), 204);
  return { user, project };
}

/** Later than the clocks may differ. */
const later = (api: TestApi): void => api.clock.advance(10);

onEachDatabase(
  'Tokens of Keystone',
  (api) => {
    before(() => {
      keystone.now = () => api.clock.now();
    });

    it('are shown like ours, with the roles that are true here', async () => {
      const { user, project } = await person(api);
      const [auditId, parent] = [randomBytes(16), randomBytes(16)];
      const issuedAt = Math.floor(api.clock.now() / 1000) - 100;
      const text = keystone.ofProject(user.id, project.id, {
        issuedAt,
        expiresAt: issuedAt + 1000.5,
        auditIds: [auditId, parent],
        methods: BITS.password + BITS.token,
      });
      const token = await validate(api, text);
      assert.deepEqual(token.methods.toSorted(), ['password', 'token']);
      assert.deepEqual([token.user.id, token.user.name], [user.id, user.name]);
      assert.equal(token.project.id, project.id);
      assert.deepEqual(token.audit_ids, [auditId.toString('base64url'), parent.toString('base64url')]);
      assert.equal(Date.parse(token.issued_at), issuedAt * 1000);
      assert.equal(Date.parse(token.expires_at), issuedAt * 1000 + 1000_500);
      assert.deepEqual(
        token.roles.map(({ name }: { name: string }) => name),
        ['member', 'reader'],
      );
      assert.ok(Array.isArray(token.catalog));
      assertOk(await api.get(`/v3/users/${user.id}`, { token: text }));
      assert.ok(await isAlive(api, text));

      assertOk(await api.delete(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`), 204);
      assert.ok(!(await isAlive(api, text)), 'without a role');
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('reader')}`), 204);
      assert.equal((await validate(api, text)).roles[0].name, 'reader');
    });

    it('may be for nothing, a domain or the system', async () => {
      const { user } = await person(api);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const [admin, reader] = [await api.roleId('admin'), await api.roleId('reader')];
      for (const path of [`domains/${domain.id}/users/${user.id}/roles/${reader}`, `system/users/${user.id}/roles/${admin}`])
        assertOk(await api.put(`/v3/${path}`), 204);
      const none = await validate(api, keystone.unscoped(user.id));
      assert.ok(!('roles' in none) && !('project' in none));
      assert.equal((await validate(api, keystone.ofDomain(user.id, domain.id))).domain.id, domain.id);
      assertRefused(
        await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': keystone.ofDomain(user.id, 'default') } }),
        404,
      );
      const system = keystone.ofSystem(user.id);
      assert.deepEqual((await validate(api, system)).system, { all: true });
      assertOk(await api.get('/v3/domains', { token: system }));
    });

    it('of a trust name whom the trust names, and end with it', async () => {
      const [ann, bob] = [await trustPerson(api, ['member']), await trustPerson(api)];
      for (const impersonation of [true, false]) {
        const trust = await makeTrust(api, ann, bob, { impersonation });
        const text = keystone.ofTrust(bob.user.id, ann.project.id, trust.id);
        const token = await validate(api, text);
        assert.equal(token.user.id, impersonation ? ann.user.id : bob.user.id);
        assert.equal(token['OS-TRUST:trust'].trustee_user.id, bob.user.id);
        // Whom it is about, not who uses it.
        assert.equal((await api.get(`/v3/users/${token.user.id}`, { token: text })).status, 200);
        const strange = (await person(api)).user;
        assert.ok(!(await isAlive(api, keystone.ofTrust(strange.id, ann.project.id, trust.id))), 'of somebody else');
        assertOk(await api.delete(`/v3/OS-TRUST/trusts/${trust.id}`, { token: ann.token }), 204);
        assert.ok(!(await isAlive(api, text)));
      }
    });

    it('of a program and of OAuth1 end with what was passed on, and are not exchanged', async () => {
      const { user, project, token } = await trustPerson(api, ['member']);
      const path = `/v3/users/${user.id}/application_credentials`;
      const { application_credential: program } = assertOk(
        await api.post(path, { application_credential: { name: 'program', roles: [{ name: 'reader' }] } }, { token }),
        201,
      );
      const ofProgram = keystone.ofProgram(user.id, project.id, program.id);
      const shown = await validate(api, ofProgram);
      assert.deepEqual(
        [shown.application_credential.id, shown.roles.map(({ name }: { name: string }) => name)],
        [program.id, ['reader']],
      );
      const consumer = await oauth1Person(api);
      const { token: access } = await makeAccessToken(api, consumer);
      const ofOAuth1 = keystone.ofOAuth1(consumer.user.id, consumer.project.id, access.id);
      assert.equal((await validate(api, ofOAuth1))['OS-OAUTH1'].access_token_id, access.id);
      for (const text of [ofProgram, ofOAuth1]) {
        const identity = { methods: ['token'], token: { id: text } };
        assertRefused(await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null }), 403, /cannot be exchanged/);
      }
      assertOk(await api.delete(`${path}/${program.id}`, { token }), 204);
      assertOk(await api.delete(`/v3/users/${consumer.user.id}/OS-OAUTH1/access_tokens/${access.id}`), 204);
      for (const text of [ofProgram, ofOAuth1]) assert.ok(!(await isAlive(api, text)));
    });

    it('of a person of another provider count while the account is linked with it', async () => {
      const { user: stranger, project } = await person(api);
      const provider = uniqueName('provider');
      assertOk(await api.put(`/v3/OS-FEDERATION/identity_providers/${provider}`, { identity_provider: { enabled: true } }), 201);
      const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] }];
      assertOk(await api.put(`/v3/OS-FEDERATION/mappings/${provider}`, { mapping: { rules } }), 201);
      const protocol = { protocol: { mapping_id: provider } };
      assertOk(await api.put(`/v3/OS-FEDERATION/identity_providers/${provider}/protocols/openid`, protocol), 201);
      const federated = [{ idp_id: provider, protocols: [{ protocol_id: 'openid', unique_id: uniqueName('subject') }] }];
      const user = await api.make('user', { name: uniqueName('user'), federated });
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`), 204);
      const groups = [packedId(randomBytes(16).toString('hex')), packedId('a group of Keystone')];
      const of = (person: string, protocolId: string): string =>
        keystone.token(5, person, ({ user: id, expiry, auditIds }) => [
          id,
          BITS.mapped,
          packedId(project.id),
          groups,
          packedId(provider),
          protocolId,
          expiry,
          auditIds,
        ]);
      assert.ok(!(await isAlive(api, of(stranger.id, 'openid'))), 'not linked');
      assert.ok(!(await isAlive(api, of(user.id, 'saml2'))), 'not linked by this protocol');
      const text = of(user.id, 'openid');
      const shown = await validate(api, text);
      assert.deepEqual(shown.user['OS-FEDERATION'], {
        groups: [],
        identity_provider: { id: provider },
        protocol: { id: 'openid' },
      });
      const auth = { identity: { methods: ['token'], token: { id: text } }, scope: { project: { id: project.id } } };
      const exchanged = await api.post('/v3/auth/tokens', { auth }, { token: null });
      assert.equal(assertOk(exchanged, 201).token.user['OS-FEDERATION'].identity_provider.id, provider);
      const ours = exchanged.headers.get('x-subject-token')!;
      assert.ok(await isAlive(api, ours));
      assertOk(await api.patch(`/v3/OS-FEDERATION/identity_providers/${provider}`, { identity_provider: { enabled: false } }));
      for (const one of [text, ours]) assert.ok(!(await isAlive(api, one)), 'the provider is off');
    });

    it('lead to tokens of ours, which end when they do and name them', async () => {
      const { user, project } = await person(api);
      const [auditId, expiresAt] = [randomBytes(16), Math.floor(api.clock.now() / 1000) + 500];
      const text = keystone.unscoped(user.id, { auditIds: [auditId], expiresAt });
      const identity = { methods: ['token'], token: { id: text } };
      const scope = { project: { id: project.id } };
      const answer = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
      const { token } = assertOk(answer, 201);
      assert.equal(token.audit_ids[1], auditId.toString('base64url'));
      assert.equal(Date.parse(token.expires_at), expiresAt * 1000);
      assert.deepEqual(token.methods.toSorted(), ['password', 'token']);
      const ours = answer.headers.get('x-subject-token')!;
      assert.ok(!ours.startsWith('gAAAA'));
      assert.equal((await validate(api, ours)).audit_ids[1], auditId.toString('base64url'));
    });

    it('end one by one, and with whatever ends ours', async () => {
      const { user, project } = await person(api);
      const make = () => keystone.ofProject(user.id, project.id);
      const [gone, other] = [make(), make()];
      assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': gone }, token: gone }), 204);
      assert.deepEqual([await isAlive(api, gone), await isAlive(api, other)], [false, true]);

      const domain = user.domain_id;
      const acts: Record<string, () => Promise<unknown>> = {
        'a new password': () => api.patch(`/v3/users/${user.id}`, { user: { password: `${PASSWORD}, changed` } }),
        'a new password of their own': () =>
          api.post(`/v3/users/${user.id}/password`, {
            user: { original_password: `${PASSWORD}, changed`, password: `${PASSWORD}, again` },
          }),
        'an account that was disabled for a while': async () => {
          assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
          assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: true } }));
        },
        'a project that was disabled for a while': async () => {
          assertOk(await api.patch(`/v3/projects/${project.id}`, { project: { enabled: false } }));
          assertOk(await api.patch(`/v3/projects/${project.id}`, { project: { enabled: true } }));
        },
        'all tokens of the user': () => api.delete(`/v3/users/${user.id}/tokens`),
      };
      assert.equal(domain, 'default');
      for (const [what, act] of Object.entries(acts)) {
        later(api);
        const text = make();
        assert.ok(await isAlive(api, text), what);
        later(api);
        await act();
        assert.ok(!(await isAlive(api, text)), what);
        later(api);
        assert.ok(await isAlive(api, make()), `one from after ${what}`);
      }
      later(api);
      const last = make();
      assertOk(await api.delete(`/v3/users/${user.id}`), 204);
      assert.ok(!(await isAlive(api, last)));
    });

    it('end with their domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const user = await api.make('user', { name: uniqueName('user'), domain_id: domain.id, password: PASSWORD });
      const text = keystone.unscoped(user.id);
      assert.ok(await isAlive(api, text));
      later(api);
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: true } }));
      assert.ok(!(await isAlive(api, text)));
      later(api);
      assert.ok(await isAlive(api, keystone.unscoped(user.id)));
    });

    it('expire, and are shown for a while to who asks for expired ones', async () => {
      const { user } = await person(api);
      const text = keystone.unscoped(user.id, { expiresAt: Math.floor(api.clock.now() / 1000) + 60 });
      assert.ok(await isAlive(api, text));
      api.clock.advance(61);
      const headers = { 'X-Subject-Token': text };
      assertRefused(await api.get('/v3/auth/tokens', { headers }), 404);
      assertOk(await api.get('/v3/auth/tokens?allow_expired=1', { headers }));
    });

    it('of the JWS provider are as good', async () => {
      const { user, project } = await person(api);
      const now = Math.floor(api.clock.now() / 1000);
      const claims = {
        sub: user.id,
        iat: now,
        exp: now + 600,
        openstack_methods: ['password'],
        openstack_audit_ids: [randomBytes(16).toString('base64url')],
        openstack_project_id: project.id,
      };
      const text = signedToken(privateKey, claims);
      assert.equal((await validate(api, text)).project.id, project.id);
      assertOk(await api.get(`/v3/users/${user.id}`, { token: text }));
      assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } }), 204);
      assert.ok(!(await isAlive(api, text)));
    });

    it('that are bound to a certificate are shown with it, and open nothing here', async () => {
      const { user, project } = await person(api);
      const thumbprint = randomBytes(32).toString('base64');
      const text = keystone.token(10, user.id, ({ user: id, expiry, auditIds }) => [
        id,
        0,
        packedId(project.id),
        [false, null],
        expiry,
        auditIds,
        [false, thumbprint],
      ]);
      assert.deepEqual((await validate(api, text)).oauth2_credential, { 'x5t#S256': thumbprint });
      assertRefused(await api.get(`/v3/users/${user.id}`, { token: text }), 401);
      const identity = { methods: ['token'], token: { id: text } };
      assertRefused(await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null }), 403);
    });

    it('follow the folder of keys: a new key, one that is gone, one that cannot be read', async () => {
      const { user } = await person(api);
      const key = randomBytes(32);
      const text = keystone.unscoped(user.id, { key });
      assert.ok(!(await isAlive(api, text)));
      keystone.write('7', key);
      await sleep(1100);
      assert.ok(await isAlive(api, text));
      const away = `${keystone.fernetKeys}-away`;
      renameSync(keystone.fernetKeys, away);
      await sleep(1100);
      assert.ok(await isAlive(api, text), 'those read before stay');
      const warnings = api.logged.map((line) => JSON.parse(line)).filter(({ msg }) => /Fernet keys cannot be read/.test(msg));
      assert.deepEqual(
        warnings.map(({ level }) => level),
        ['warn'],
      );
      renameSync(away, keystone.fernetKeys);
      rmSync(join(keystone.fernetKeys, '7'));
      await sleep(1100);
      assert.ok(!(await isAlive(api, text)), 'the key is gone');
      assert.ok(await isAlive(api, keystone.unscoped(user.id)));
      for (const secret of [key, keystone.key])
        assert.ok(!api.logged.some((line) => line.includes(secret.toString('base64url'))), 'no key is logged');
    });
  },
  { settings: SETTINGS },
);
after(() => keystone.remove());

const UNTIL = new Date(Date.now() + 3600_000);

onEachDatabase(
  'Tokens of Keystone, until a day',
  (api) => {
    it('are refused from then on, whenever they expire', async () => {
      keystone.now = () => api.clock.now();
      const { user } = await person(api);
      const text = keystone.unscoped(user.id, { expiresAt: Math.floor(api.clock.now() / 1000) + 86_400 });
      assert.ok(await isAlive(api, text));
      api.clock.advance(3601);
      assert.ok(!(await isAlive(api, text)));
      assertRefused(await api.get('/v3/auth/tokens?allow_expired=1', { headers: { 'X-Subject-Token': text } }), 401);
    });
  },
  { settings: { ...SETTINGS, GATEHOUSE_IDENTITY_KEYSTONE_TOKENS_UNTIL: UNTIL.toISOString() } },
);

it('A service does not start with a folder of keys that is not there', async () => {
  const settings = { ...SETTINGS, GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS: '/no/such/folder' };
  await assert.rejects(
    withApi({ settings }, async () => {}),
    /GATEHOUSE_IDENTITY_KEYSTONE_FERNET_KEYS: cannot read \/no\/such\/folder \(ENOENT\); give the path of a readable folder/,
  );
});

onDatabase('PostgreSQL', 'Tokens of Keystone at several replicas', { settings: SETTINGS }, (api) => {
  it('are revoked at all of them', async () => {
    keystone.now = () => api.clock.now();
    const other = await api.replica();
    try {
      const { user, project } = await person(api);
      const text = keystone.ofProject(user.id, project.id);
      assert.deepEqual([await isAlive(api, text), await isAlive(other, text)], [true, true]);
      assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': text } }), 204);
      for (const end = Date.now() + 20_000; (await isAlive(other, text)) && Date.now() < end; ) await sleep(20);
      assert.ok(!(await isAlive(other, text)));
    } finally {
      await other.stop();
    }
  });
});
