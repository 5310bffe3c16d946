// W3C credentials with Data Integrity proofs, made with Digital Bazaar's implementation.
import type { KeyObject } from 'node:crypto';
import { DataIntegrityProof } from '@digitalbazaar/data-integrity';
import { cryptosuite as ecdsa } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite';
import { cryptosuite as eddsa } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite';
import * as vc from '@digitalbazaar/vc';
import type { DIDDocument } from 'did-resolver';
import { createLoader } from '../../src/verifiable/formats/contexts.ts';
import type { PublicJwk } from '../../src/verifiable/jose/index.ts';
import { jwkOfMultibase } from '../../src/verifiable/resolver/did-key.ts';
import { didKeyOf, documentOfDidKey } from '../../src/verifiable/resolver/index.ts';
import { newSigner, type TestSigner } from './issuers.ts';

/** Uses a did:key, because its DID document contains a Multikey, which that implementation requires. */
export function newMultikeySigner(key?: KeyObject): TestSigner {
  const signer = newSigner(key);
  const did = didKeyOf(signer.jwk);
  return { ...signer, did, didUrl: `${did}#${did.slice('did:key:'.length)}` };
}

export const jwkInDidKey = (document: DIDDocument): PublicJwk => jwkOfMultibase(document.id.slice('did:key:'.length));

const suiteOf = (signer: TestSigner): unknown => (signer.algorithm === 'EdDSA' ? eddsa : ecdsa);
const NAMES: Readonly<Record<string, string>> = { EdDSA: 'Ed25519', ES256: 'P-256', ES384: 'P-384' };

/** Loads our JSON-LD contexts and did:key documents. */
async function createDocumentLoader(): Promise<(url: string) => Promise<unknown>> {
  const load = await createLoader();
  return async (url) => {
    if (!url.startsWith('did:key:')) return load(url);
    const [did = '', fragment] = url.split('#');
    const multibase = did.slice('did:key:'.length);
    const method = { id: `${did}#${multibase}`, type: 'Multikey', controller: did, publicKeyMultibase: multibase };
    documentOfDidKey(did);
    const contexts = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'];
    const document = fragment
      ? { '@context': contexts[1], ...method }
      : { '@context': contexts, id: did, authentication: [method], assertionMethod: [method] };
    return { contextUrl: null, documentUrl: url, document };
  };
}

export async function issueCredential(signer: TestSigner, credential: object, created: number): Promise<Record<string, unknown>> {
  const suite = new DataIntegrityProof({
    cryptosuite: suiteOf(signer),
    date: new Date(created),
    signer: {
      id: signer.didUrl,
      algorithm: NAMES[signer.algorithm],
      sign: async ({ data }: { data: Uint8Array }) => new Uint8Array(await signer.sign(Buffer.from(data))),
    },
  });
  // A copy, because the library modifies its input.
  return vc.issue({ credential: structuredClone(credential), suite, documentLoader: await createDocumentLoader() });
}

/** The errors of a presentation and its credentials; empty if it is valid. */
export async function faultsOfPresentation(presentation: object, challenge: string, domain: string): Promise<string[]> {
  const suite = [eddsa, ecdsa].map((cryptosuite) => new DataIntegrityProof({ cryptosuite }));
  const documentLoader = await createDocumentLoader();
  const checkStatus = async () => ({ verified: true });
  const result = await vc.verify({ presentation, challenge, domain, suite, documentLoader, checkStatus });
  if (result.verified) return [];
  const errors = [result, ...(result.credentialResults ?? [])].flatMap(({ error }) => error?.errors ?? error ?? []);
  return errors.length > 0 ? errors.map(String) : ['it does not hold'];
}
