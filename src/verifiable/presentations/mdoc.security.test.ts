// Presentations of mobile documents by a hostile holder, one thing wrong at a time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cborEncode, DataItem } from '@owf/mdoc';
import { certify, usages } from '../../../test/support/certificates.ts';
import { issuerWorld, NOW, newSigner, type TestSigner } from '../../../test/support/issuers.ts';
import { deviceResponse, type MdocTwist, readIssued } from '../../../test/support/mdoc-holder.ts';
import { CredentialRejectedError, createFormats } from '../formats/index.ts';
import { ISSUED_FORMATS } from '../issuing/index.ts';
import { TrustError } from '../trust/index.ts';
import { createPresentationVerifier } from './index.ts';

const DOCTYPE = 'org.example.worker';
const DAY_MS = 24 * 3600 * 1000;
const [from, until] = [new Date(NOW - DAY_MS), new Date(NOW + DAY_MS)];
const root = certify({ name: 'CN=Root', ca: true, from, until });
const [holder, thief] = [newSigner(), newSigner()];
const HANDOVER = { responseUri: 'https://verifier.example/answer', encryptionThumbprint: Buffer.alloc(32, 7) };
const EXPECTED = { nonce: 'the nonce', audience: 'x509_hash:verifier', since: NOW, handover: HANDOVER };
const SESSION = {
  clientId: EXPECTED.audience,
  nonce: EXPECTED.nonce,
  thumbprint: HANDOVER.encryptionThumbprint,
  responseUri: HANDOVER.responseUri,
};

async function issue({ by = root, to = holder, doctype = DOCTYPE, name = 'Ada' } = {}): Promise<string> {
  const signer = newSigner();
  const extensions = [usages('1.0.18013.5.1.2')];
  const { der } = certify({ name: 'CN=Signer', by, from, until, key: signer.key, extensions });
  return ISSUED_FORMATS.mso_mdoc.make(
    {
      id: 'urn:x',
      type: { vct: 'https://issuer.example/worker', typeName: 'Worker', doctype, dataModel: '2.0' },
      user: { id: 'ada', address: 'https://issuer.example/v3/users/ada' },
      roles: [],
      profile: { name },
      holder: { jwk: to.jwk },
      issuedAt: NOW / 1000,
      expiresAt: NOW / 1000 + 3600,
      status: { token: { uri: 'https://issuer.example/lists/1', idx: 1 }, bitstring: [] },
    },
    {
      url: 'https://issuer.example',
      did: undefined,
      namedBy: 'x5c',
      sign: () => assert.fail('it is no JWT'),
      signBytes: async (data) => ({ signature: await signer.sign(data), chain: [der] }),
    },
  );
}

const { trust, clock, world } = issuerWorld();
world.anchors.push(root);
const verify = createPresentationVerifier({ formats: createFormats({ trust, clock }), clock });
const isName = (_namespace: string, element: string): boolean => element === 'name';

interface Wrong extends MdocTwist {
  readonly raw?: string;
  readonly by?: TestSigner;
  readonly expected?: object;
  readonly after?: (text: string) => string;
}

async function shown({ raw, by = holder, expected, after, ...twist }: Wrong = {}) {
  const text = deviceResponse(raw ?? (await issue()), SESSION, by.key, { isShown: isName, ...twist });
  return verify('mso_mdoc', after?.(text) ?? text, { ...EXPECTED, ...expected } as typeof EXPECTED);
}

const refused = (wrong: Wrong, code: string): Promise<void> =>
  assert.rejects(shown(wrong), (error) => {
    assert.ok(error instanceof CredentialRejectedError || error instanceof TrustError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });

const auth = (document: Map<unknown, any>): Map<unknown, any> => document.get('deviceSigned').get('deviceAuth');

describe('A mobile document that is shown', () => {
  it('gives what was shown of it, and nothing when nothing was', async () => {
    const { claims, type, binding } = await shown();
    assert.deepEqual([claims, type, binding], [{ [DOCTYPE]: { name: 'Ada' } }, DOCTYPE, { kind: 'jwk', jwk: holder.jwk }]);
    const nothing = await verify('mso_mdoc', deviceResponse(await issue(), SESSION, holder.key), EXPECTED);
    assert.deepEqual(nothing.claims, {});
    assert.equal(nothing.status?.kind, 'token');
  });

  it('as our wallet does it is read, too', async () => {
    const { present } = createFormats({ trust, clock }).mso_mdoc;
    const context = {
      paths: [[DOCTYPE, 'name']],
      nonce: EXPECTED.nonce,
      audience: EXPECTED.audience,
      now: NOW,
      handover: HANDOVER,
    };
    const text = String(await present(await issue(), context, holder));
    assert.deepEqual((await verify('mso_mdoc', text, EXPECTED)).claims, { [DOCTYPE]: { name: 'Ada' } });
  });

  const sessions = ['another verifier', 'another nonce', Buffer.alloc(32, 8), 'https://thief.example/answer'];
  for (const [at, value] of sessions.entries())
    it(`is refused in the session of another: ${['verifier', 'request', 'key of encryption', 'address'][at]}`, () =>
      refused({ session: (info) => void info.splice(at, 1, value) }, 'wrong-holder'));

  it('is refused where the verifier does not know the session', () =>
    refused({ expected: { handover: undefined } }, 'malformed'));

  it('is refused by whoever has a copy, but not its key', async () => {
    await refused({ by: thief }, 'wrong-holder');
    await refused(
      { document: (document) => void auth(document).get('deviceSignature').splice(3, 1, Buffer.alloc(64)) },
      'wrong-holder',
    );
  });

  it('is refused without a signature of the device, with a MAC, or with a payload of its own', async () => {
    await refused({ document: (document) => void auth(document).delete('deviceSignature') }, 'no-key-binding');
    const mac = (document: Map<unknown, any>): void => {
      const signature = auth(document).get('deviceSignature');
      auth(document).delete('deviceSignature');
      auth(document).set('deviceMac', signature);
    };
    await refused({ document: mac }, 'no-key-binding');
    await refused({ document: (document) => void auth(document).get('deviceSignature').splice(2, 1, Buffer.of(1)) }, 'malformed');
    await refused({ document: (document) => void document.delete('deviceSigned') }, 'malformed');
  });

  it('is refused with another algorithm, or one that is not protected', async () => {
    for (const header of [new Map([[1, -35]]), new Map([[1, 5]]), new Map()])
      await refused(
        { document: (document) => void auth(document).get('deviceSignature').splice(0, 1, cborEncode(header)) },
        'wrong-holder',
      );
  });

  it('is refused with elements of the device that it did not sign', () =>
    refused(
      {
        document: (document) =>
          void document.get('deviceSigned').set('nameSpaces', DataItem.fromData(new Map([['x', new Map()]]))),
      },
      'wrong-holder',
    ));

  it('is refused under another doctype, with two documents, with none, or as a failure', async () => {
    await refused({ document: (document) => void document.set('docType', 'org.iso.18013.5.1.mDL') }, 'malformed');
    await refused({ response: (response) => void response.get('documents').push(response.get('documents')[0]) }, 'malformed');
    await refused({ response: (response) => void response.set('documents', []) }, 'malformed');
    await refused({ response: (response) => void response.delete('documents') }, 'malformed');
    await refused({ response: (response) => void response.set('status', 10) }, 'malformed');
  });

  it('is refused with elements of another document, also one of the same person', async () => {
    const other = readIssued(await issue({ name: 'Eve' })).get('nameSpaces');
    await refused({ document: (document) => void document.get('issuerSigned').set('nameSpaces', other) }, 'malformed');
  });

  it('is refused of an issuer that nobody trusts, and after its time', async () => {
    const stranger = certify({ name: 'CN=Root', ca: true, from, until });
    await refused({ raw: await issue({ by: stranger }) }, 'untrusted');
    world.now = NOW + 3_600_000 + 60_000;
    await refused({}, 'expired').finally(() => {
      world.now = NOW;
    });
  });

  it('is refused as what no holder shows', async () => {
    for (const text of ['', 'x', '~', 'a0', 'oA', Buffer.from(cborEncode([])).toString('base64url'), 'x'.repeat(300_000)])
      await refused({ after: () => text }, 'malformed');
    const raw = await issue();
    await refused({ after: () => raw }, 'malformed');
  });
});
