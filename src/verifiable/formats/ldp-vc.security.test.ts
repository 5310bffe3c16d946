// Documents that were changed without breaking the proof: it covers RDF statements, not their JSON form.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { issueCredential, newMultikeySigner } from '../../../test/support/data-integrity.ts';
import { issuerWorld } from '../../../test/support/issuers.ts';
import { signedBytes } from './data-integrity.ts';
import { CredentialRejectedError } from './format.ts';
import { createLdpVc } from './ldp-vc.ts';

const NOW = Math.floor(Date.now() / 1000) * 1000;
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString().replace('.000Z', 'Z');
const issuer = newMultikeySigner(generateKeyPairSync('ed25519').privateKey);
const [holder, other] = [newMultikeySigner(), newMultikeySigner()];

const CREDENTIAL = {
  '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2'],
  id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
  type: ['VerifiableCredential', 'AlumniCredential', 'StudentCredential'],
  issuer: { id: issuer.did, name: 'School' },
  validFrom: at(-10),
  validUntil: at(100),
  credentialSubject: {
    id: holder.did,
    colours: ['red', 'green'],
    worksFor: { id: 'https://office.example/', name: 'Office' },
    studies: [{ name: 'A' }, { name: 'B' }],
  },
  credentialStatus: {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: 'https://issuer.example/list',
  },
};
type Signed = typeof CREDENTIAL & { proof: Record<string, unknown> };

const signed = async (change: object = {}): Promise<Signed> =>
  (await issueCredential(issuer, { ...CREDENTIAL, ...change }, NOW)) as Signed;
const verify = (raw: unknown) => {
  const { trust, clock } = issuerWorld({ now: NOW });
  return createLdpVc({ trust, clock }).verify(raw);
};

/** What the proof is over. */
const bytesOf = async ({ proof, ...document }: Signed): Promise<string> => {
  const { proofValue: _, '@context': __, ...options } = proof;
  return (await signedBytes(document, options, 'SHA-256')).toString('hex');
};

const refused = async (original: Signed, changed: object, code = 'malformed'): Promise<void> => {
  assert.equal(await bytesOf(changed as Signed), await bytesOf(original), 'the proof would not hold anyhow');
  await assert.rejects(verify(changed), (error) => {
    assert.ok(error instanceof CredentialRejectedError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
};

describe('A credential with a proof over its statements', () => {
  it('is of the same type in whatever order its types come', async () => {
    const raw = await signed();
    const { type, types, claims } = await verify(raw);
    assert.deepEqual([type, types], ['StudentCredential', CREDENTIAL.type]);
    for (const order of [CREDENTIAL.type.toReversed(), ['AlumniCredential', 'StudentCredential', 'VerifiableCredential']]) {
      const changed = { ...raw, type: order };
      assert.equal(await bytesOf(changed), await bytesOf(raw));
      const again = await verify(changed);
      assert.deepEqual([again.type, again.types, again.claims], [type, types, claims]);
    }
  });

  it('is not taken when it is about several: the first of them would be the holder', async () => {
    const [one, two] = [{ id: holder.did }, { id: other.did }];
    const raw = await signed({ credentialSubject: [one, two] });
    await refused(raw, raw, 'unsupported');
    await refused(raw, { ...raw, credentialSubject: [two, one] }, 'unsupported');
  });

  it('holds what was signed, and no null, no empty list and nothing twice beside it', async () => {
    const raw = await signed();
    const about = raw.credentialSubject;
    for (const changed of [
      { ...raw, name: null },
      { ...raw, evidence: [] },
      { ...raw, credentialSubject: [null, about] },
      { ...raw, credentialSubject: { ...about, isAdmin: null } },
      { ...raw, credentialSubject: { ...about, colours: ['red', 'green', 'red'] } },
      { ...raw, credentialSubject: { ...about, colours: ['red', null, 'green'] } },
      { ...raw, type: [...raw.type, 'VerifiableCredential'] },
      { ...raw, proof: { ...raw.proof, expires: null } },
    ])
      await refused(raw, changed);
  });

  it('has its claims under their own names: a status is not hidden under another', async () => {
    const raw = await signed();
    const { credentialStatus, ...rest } = raw;
    await refused(raw, { ...rest, 'https://www.w3.org/2018/credentials#credentialStatus': credentialStatus });
    const { colours, ...about } = raw.credentialSubject;
    const name = 'https://www.w3.org/ns/credentials/examples#colours';
    await refused(raw, { ...raw, credentialSubject: { ...about, [name]: colours } });
    await refused(raw, { ...raw, credentialSubject: { ...about, colours: [{ '@value': 'red' }, 'green'] } });
    await refused(raw, { ...raw, credentialSubject: { ...about, colours: [['red'], 'green'] } });
  });

  it('has its claims where they were signed, not where the same thing is named again', async () => {
    const subject = { id: holder.did, knows: { id: 'urn:example:friend', name: 'A friend' } };
    const raw = await signed({ credentialSubject: { ...subject, likes: 'urn:example:x' }, issuer: issuer.did });
    assert.ok(await verify(raw));
    const moved = await signed({ credentialSubject: { ...subject, likes: { id: 'urn:example:friend' } } });
    await refused(moved, moved);
    const swapped = { id: holder.did, knows: { id: 'urn:example:friend' }, likes: subject.knows };
    await refused(moved, { ...moved, credentialSubject: swapped });
  });

  it('has the claims of its subject there, also where the issuer is the subject', async () => {
    const degree = { degree: 'Master' };
    const raw = await signed({ issuer: issuer.did, credentialSubject: { id: issuer.did, ...degree } });
    assert.equal((await verify(raw)).subject, issuer.did);
    for (const credentialSubject of [issuer.did, [issuer.did], { id: issuer.did }])
      await refused(raw, { ...raw, issuer: { id: issuer.did, ...degree }, credentialSubject });
  });

  it('may contain the same object twice if both are equal', async () => {
    const office = { id: 'https://office.example/', name: 'Office', seat: 'Here' };
    const { seat, ...named } = office;
    const about = { id: holder.did, worksFor: office, likes: [{ name: 'Tea' }, office] };
    const raw = await signed({ credentialSubject: about });
    assert.ok(await verify(raw));
    const moved = (worksFor: object, liked: object) => ({
      ...raw,
      credentialSubject: { ...about, worksFor, likes: [{ name: 'Tea' }, liked] },
    });
    await refused(raw, moved(named, office));
    await refused(raw, moved(office, { id: office.id }));
    await refused(raw, moved({ id: office.id, seat }, named));
  });

  it('has no blank node identifiers', async () => {
    const raw = await signed();
    const [first, second] = raw.credentialSubject.studies;
    const studies = [{ id: '_:mine', ...first }, second];
    await refused(raw, { ...raw, credentialSubject: { ...raw.credentialSubject, studies } });
  });

  it('has a proof that is read with the contexts of the document', async () => {
    const raw = await signed();
    const own = (context: unknown) => ({ ...raw, proof: { '@context': context, ...raw.proof } });
    for (const context of [[], ['https://www.w3.org/ns/credentials/v2'], 'https://w3id.org/security/data-integrity/v2'])
      await refused(raw, own(context));
    assert.ok(await verify(own(CREDENTIAL['@context'])));
  });

  it('is taken as other implementations write it', async () => {
    for (const change of [
      {},
      {
        name: [
          { '@value': 'Alumni', '@language': 'en' },
          { '@value': 'Ehemalige', '@language': 'de' },
        ],
      },
      { name: { '@value': 'Alumni', '@language': 'en-US' } },
      { type: 'VerifiableCredential' },
      { credentialSubject: [{ id: holder.did, name: 'One' }] },
      { credentialSubject: { name: 'Nobody', age: 7, score: 7.5, isGood: true } },
      { issuer: { id: issuer.did } },
      { relatedResource: [{ id: 'https://office.example/x', digestSRI: 'sha384-abc' }] },
      { credentialSchema: { id: 'https://office.example/schema', type: 'JsonSchema' } },
    ])
      assert.ok(await verify(await signed(change)), JSON.stringify(change));
  });
});
