import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { certify, newEcKey, usages } from '../../../../test/support/certificates.ts';
import { receiveCredential } from '../../../../test/support/credential-holders.ts';
import { issuerWorld } from '../../../../test/support/issuers.ts';
import { securityObjectOf } from '../../../../test/support/mdoc-holder.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import {
  askOffer,
  askType,
  type Change,
  issuedTo,
  makeHolder,
  makeRoleWorld,
  makeType,
  newKey,
  TestCredentialWallet,
  TYPES,
  usesRoleWorld,
} from '../../../../test/support/role-credentials.ts';
import { usesAttestedWallet, usesWalletProvider } from '../../../../test/support/wallet-provider.ts';
import { createFormats } from '../../../verifiable/formats/index.ts';

onUsualDatabase('A role as a mobile document', (api) => {
  const { world, person } = usesRoleWorld(api, { formats: ['dc+sd-jwt', 'mso_mdoc'], subject: 'user' });
  const wallet = new TestCredentialWallet(api);

  it('is described by its doctype, the paths of its elements and the algorithms of COSE', async () => {
    const { [world.mdoc]: described } = (await wallet.metadata()).credential_configurations_supported;
    const { doctype } = (await api.get(`${TYPES}/${world.typeId}`)).body.credential_type;
    assert.equal(doctype, `127.0.0.1.${world.typeId}`);
    assert.deepEqual(
      [described.format, described.doctype, described.vct, described.scope],
      ['mso_mdoc', doctype, undefined, world.scope],
    );
    assert.deepEqual(described.cryptographic_binding_methods_supported, ['cose_key']);
    assert.deepEqual(described.credential_signing_alg_values_supported, [-7]);
    assert.ok(described.proof_types_supported.jwt.proof_signing_alg_values_supported.includes('ES256'));
    assert.deepEqual(
      described.credential_metadata.claims.map(({ path, mandatory }: any) => [...path, mandatory]),
      [
        [doctype, 'roles', true],
        [doctype, 'name', false],
        [doctype, 'email', false],
      ],
    );
  });

  it('is issued below the root of the service, to the key that was proved, with an entry in a status list', async () => {
    const { raw, jwk } = await receiveCredential(api, person, world.mdoc);
    const { root } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body.issuer;
    const { trust, clock, world: issuers } = issuerWorld({ now: api.clock.now() });
    issuers.anchors.push({ certificate: new X509Certificate(root) } as never);
    const verified = await createFormats({ trust, clock }).mso_mdoc.verify(raw);
    const elements = verified.claims[verified.type] as Record<string, unknown>;
    const names = [{ target: world.application.id, application: world.application.name, names: ['manager'] }];
    assert.deepEqual([elements.sub, elements.roles, elements.name], [person.id, names, person.name]);
    const { kty, crv, x, y } = jwk;
    assert.deepEqual(verified.binding, { kind: 'jwk', jwk: { kty, crv, x, y } });
    const { status_list: entry } = Object.fromEntries(securityObjectOf(raw).get('status')) as { status_list: Map<string, any> };
    assert.ok(entry.get('uri').startsWith(`${api.url}/openid/status-lists/`));
    assert.equal((await fetch(entry.get('uri'))).status, 200);
  });
});

const provider = usesWalletProvider();
const jwkOf = ({ publicKey }: { readonly publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });

onUsualDatabase(
  'A key that a mobile document cannot be bound to',
  (api) => {
    const { world, person } = usesRoleWorld(api, { formats: ['mso_mdoc'] });
    const wallet = usesAttestedWallet(api, provider);

    it('is refused as a proof, before anything is used up or recorded', async () => {
      const token = await wallet.tokenFor(person, world.mdoc);
      const nonce = await wallet.nonce();
      const ask = async (change?: Change) => {
        const attestation = await provider.attestKeys([await newKey()], nonce, change);
        return wallet.request(token, { credential_configuration_id: world.mdoc, proofs: { attestation: [attestation] } });
      };
      for (const pair of [
        generateKeyPairSync('rsa', { modulusLength: 2048 }),
        generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
        generateKeyPairSync('x25519'),
      ]) {
        const { status, body, text } = await ask(({ payload }) => void (payload.attested_keys as object[]).push(jwkOf(pair)));
        assert.deepEqual([status, body.error], [400, 'invalid_proof'], text);
        assert.match(body.error_description, /bound to/);
      }
      assert.deepEqual(await issuedTo(api, person), []);
      assert.equal((await ask()).status, 200);
    });
  },
  { settings: provider.settings },
);

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mdoc-'));
after(() => rmSync(folder, { recursive: true }));
const root = certify({ name: 'CN=Root', ca: true });
const key = newEcKey();
const leaf = certify({ name: 'CN=Id', by: root, dns: ['id.example'], key, extensions: [usages('1.3.6.1.5.5.7.3.36')] });
writeFileSync(join(folder, 'chain.pem'), leaf.certificate.toString() + root.certificate.toString());
writeFileSync(join(folder, 'key.pem'), key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });

onDatabase(
  'SQLite',
  'An issuer whose certificate is for other things than documents',
  {
    settings: {
      GATEHOUSE_IDENTITY_URL: 'https://id.example',
      GATEHOUSE_IDENTITY_ISSUER_CERT_FILE: join(folder, 'chain.pem'),
      GATEHOUSE_IDENTITY_ISSUER_KEY_FILE: join(folder, 'key.pem'),
    },
  },
  (api) => {
    const database = usesDatabaseOf(api);

    /** As it was made before the certificate was brought. */
    async function become(typeId: string, ...formats: string[]): Promise<void> {
      const values = { formats: JSON.stringify(formats) };
      await database().write((tx) => tx.updateTable('credential_types').set(values).where('id', '=', typeId).execute());
      // Types are cached until one is changed.
      const changed = assertOk(await api.patch(`${TYPES}/${typeId}`, { credential_type: { name: uniqueName('workers') } }));
      assert.deepEqual(changed.credential_type.formats, formats);
    }

    it('offers no mobile documents, because nobody would accept them', async () => {
      const application = await makeApplication(api);
      assertRefused(await askType(api, application, { formats: ['mso_mdoc'] }), 400, /certificate of the issuer/);
      const { id } = await makeType(api, application);
      const change = { credential_type: { formats: ['dc+sd-jwt', 'mso_mdoc'] } };
      assertRefused(await api.patch(`${TYPES}/${id}`, change), 400, /certificate of the issuer/);
      await become(id, ...change.credential_type.formats);
      const { body } = await api.get('/.well-known/openid-credential-issuer', { token: null });
      assert.deepEqual(
        Object.keys(body.credential_configurations_supported).filter((one) => one.startsWith(id)),
        [`${id}.sd_jwt`],
      );
    });

    it('offers the other formats of a type from before, and no type that has none', async () => {
      const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'] });
      const person = await makeHolder(api, world);
      const available = async () => {
        const { body } = await api.get(`/v3/users/${person.id}/OS-ROLE-CREDENTIALS/types`, { token: person.token });
        return body.types.map(({ credential_configuration_ids: ids }: any) => ids);
      };
      await become(world.typeId, 'mso_mdoc', 'dc+sd-jwt');
      assert.deepEqual(await available(), [[world.sdJwt]]);
      assertRefused(await askOffer(api, person, [world.mdoc]), 403, /mdoc/);
      assertOk(await askOffer(api, person, [world.sdJwt]), 201);
      await become(world.typeId, 'mso_mdoc');
      assert.deepEqual(await available(), []);
    });
  },
);
