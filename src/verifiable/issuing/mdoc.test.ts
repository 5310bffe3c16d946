import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { cborEncode, IssuerSigned } from '@owf/mdoc';
import { certify, newEcKey, usages } from '../../../test/support/certificates.ts';
import { issuerWorld, NOW, newSigner } from '../../../test/support/issuers.ts';
import { readIssued, securityObjectOf } from '../../../test/support/mdoc-holder.ts';
import { createFormats } from '../formats/index.ts';
import type { CredentialDraft } from './issued-format.ts';
import { mdoc } from './mdoc.ts';

const DAY_MS = 24 * 3600 * 1000;
const [from, until] = [new Date(NOW - DAY_MS), new Date(NOW + DAY_MS)];
const root = certify({ name: 'CN=Root', ca: true, from, until });
const DOCTYPE = 'org.example.city-worker';

const draft = (more: Partial<CredentialDraft> = {}): CredentialDraft => ({
  id: 'urn:x',
  type: { vct: 'https://example.org/x', typeName: 'CityWorker', doctype: DOCTYPE, dataModel: '2.0' },
  user: { id: 'ada', address: 'https://example.org/v3/users/ada' },
  roles: [{ target: 'app', application: 'Reports', names: ['reader', 'writer'] }],
  profile: { name: 'Ada Lovelace', organization: ['Vigo'] },
  holder: { jwk: newSigner().jwk },
  issuedAt: NOW / 1000,
  expiresAt: NOW / 1000 + 3600,
  status: { token: { uri: 'https://example.org/lists/1', idx: 70_000 }, bitstring: [] },
  ...more,
});

function setUp(extensions = [usages('1.0.18013.5.1.2')]) {
  const signer = newSigner();
  const { der } = certify({ name: 'CN=Signer', by: root, from, until, key: signer.key, extensions });
  const { trust, clock, world } = issuerWorld();
  world.anchors.push(root);
  const make = (content: CredentialDraft): Promise<string> =>
    mdoc.make(content, {
      url: 'https://example.org',
      did: undefined,
      namedBy: 'x5c',
      sign: () => assert.fail('it is no JWT'),
      signBytes: async (data) => ({ signature: await signer.sign(data), chain: [der] }),
    });
  return { make, verify: createFormats({ trust, clock }).mso_mdoc.verify };
}

describe('An mdoc that is made here', () => {
  it('says what its draft says, and is bound to the key of its holder', async () => {
    const { make, verify } = setUp();
    const content = draft();
    const { authorityKeyIds, rootKeyId, ...verified } = await verify(await make(content));
    assert.deepEqual(verified, {
      format: 'mso_mdoc',
      type: DOCTYPE,
      types: [DOCTYPE],
      issuer: { id: 'CN=Signer', trust: 'anchor' },
      claims: { [DOCTYPE]: { sub: 'ada', roles: content.roles, name: 'Ada Lovelace', organization: ['Vigo'] } },
      issuedAt: NOW,
      validFrom: NOW,
      validUntil: NOW + 3_600_000,
      binding: { kind: 'jwk', jwk: content.holder.jwk },
      status: { kind: 'token', uri: 'https://example.org/lists/1', index: 70_000 },
    });
  });

  it('is bound to every kind of key that proofs may have', async () => {
    const { make, verify } = setUp();
    for (const key of [newEcKey('P-384'), newEcKey('P-521'), generateKeyPairSync('ed25519').privateKey]) {
      const { jwk } = newSigner(key);
      assert.deepEqual((await verify(await make(draft({ holder: { jwk } })))).binding, { kind: 'jwk', jwk });
    }
  });

  it('is read by the library, whose digests of the elements are those that were signed', async () => {
    const { issuerAuth, issuerNamespaces } = IssuerSigned.fromEncodedForOid4Vci(await setUp().make(draft()));
    const { mobileSecurityObject } = issuerAuth;
    assert.equal(mobileSecurityObject.docType, DOCTYPE);
    const items = issuerNamespaces.issuerNamespaces.get(DOCTYPE)!;
    assert.equal(items.length, 4);
    const digest = async ({ bytes }: { bytes: Uint8Array }) => createHash('sha256').update(bytes).digest();
    for (const item of items) assert.ok(await item.isValid(DOCTYPE, issuerAuth, { crypto: { digest } as never }));
  });

  it('does not say by the order or the size of an id which element a digest is of', async () => {
    const { make } = setUp();
    const [one, other] = [await make(draft()), await make(draft())];
    const digests = (raw: string): Map<number, Uint8Array> => securityObjectOf(raw).get('valueDigests').get(DOCTYPE);
    for (const raw of [one, other]) {
      const ids = [...digests(raw).keys()];
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      );
      assert.ok(ids.every((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31));
    }
    assert.equal(new Set([...digests(one).keys(), ...digests(other).keys()]).size, 8, 'nothing of it can be linked');
    const salts = readIssued(one)
      .get('nameSpaces')
      .get(DOCTYPE)
      .map((item: any) => Buffer.from(item.data.get('random')).toString('hex'));
    assert.equal(new Set(salts).size, 4);
    assert.ok(salts.every((salt: string) => salt.length === 64));
  });

  it('is refused when its signer is certified for something else', async () => {
    const { make, verify } = setUp([usages('1.3.6.1.5.5.7.3.36')]);
    await assert.rejects(verify(await make(draft())), /for another purpose/);
  });

  it('has times as ISO/IEC 18013-5 writes them, and one certificate without a list', async () => {
    const raw = Buffer.from(await setUp().make(draft()), 'base64url');
    assert.ok(raw.includes(Buffer.from(cborEncode(new Date(NOW)))), 'tag 0, no fractions');
    assert.ok(readIssued(raw.toString('base64url')).get('issuerAuth')[1].get(33) instanceof Uint8Array);
  });
});
