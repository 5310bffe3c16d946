// Mobile documents (`mso_mdoc`, ISO/IEC 18013-5), with the structures of @owf/mdoc. Digests and signatures are checked over the
// received bytes. The library would encode them again, and documents with another valid CBOR encoding would no longer match.
import { createHash, randomBytes, type X509Certificate } from 'node:crypto';
import type { DataItem, MdocContext } from '@owf/mdoc';
import type { Clock } from '../../platform/clock.ts';
import { verifyWith } from '../jose/index.ts';
import { readPublicJwk } from '../resolver/index.ts';
import { referenceOf } from '../status/index.ts';
import { type SignerKey, subjectOf, type Trust } from '../trust/index.ts';
import { checkCbor } from './cbor.ts';
import { ALGORITHMS, CURVES } from './cose.ts';
import {
  asRejection,
  type Binding,
  type CredentialFormat,
  type CredentialHolder,
  type ExpectedPresentation,
  type Format,
  type PresentationContext,
  plainAlgorithms,
  type QueryMeta,
  reject,
  type VerifiedCredential,
} from './format.ts';
import { checkTimes } from './times.ts';

type MdocLibrary = typeof import('@owf/mdoc');

const NAME = 'mso_mdoc';
const MAX_LENGTH = 512 * 1024;
const MAX_ELEMENTS = 1000;
const CRITICAL = 2;
const ALGORITHM = 1;

const HASHES = { 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' } as const;

/** CBOR values as JSON: times as text, bytes as base64url. */
function jsonOf(value: unknown, library: MdocLibrary): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof library.DateOnly) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64url');
  if (value instanceof library.DataItem) return jsonOf(value.data, library);
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, library));
  if (value instanceof Map) return objectOf([...value].map(([key, item]) => [String(key), jsonOf(item, library)]));
  return reject('malformed', 'a value has a type that is not allowed');
}

function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object = Object.fromEntries(entries);
  if (Object.hasOwn(object, '__proto__') || Object.keys(object).length !== entries.length)
    reject('malformed', 'a name is used twice, or is not allowed');
  return object;
}

type IssuerAuth = readonly [
  protectedHeaders: Uint8Array,
  unprotected: Map<number, unknown>,
  payload: Uint8Array,
  signature: Uint8Array,
];
type DeviceSignature = readonly [protectedHeaders: Uint8Array, unprotected: unknown, payload: unknown, signature: Uint8Array];
type NameSpaces = ReadonlyMap<string, readonly DataItem<Map<string, unknown>>[]>;

type EncodedMap = ReadonlyMap<string, unknown>;

/** The map that CBOR in base64url is. */
function read(raw: unknown, { cborDecode }: MdocLibrary): EncodedMap {
  if (typeof raw !== 'string' || raw.length > MAX_LENGTH || !/^[\w-]+={0,2}$/.test(raw))
    reject('malformed', 'it is not an mdoc in base64url');
  const bytes = Buffer.from(raw, 'base64url');
  checkCbor(bytes);
  return cborDecode<EncodedMap>(bytes);
}

/** What its issuer signed, with the original bytes. */
function decode(encoded: EncodedMap, library: MdocLibrary) {
  const rawIssuerAuth = encoded.get('issuerAuth') as IssuerAuth;
  const [protectedHeaders, , payload] = rawIssuerAuth;
  if (!payload) reject('malformed', 'it has no security object');
  // These two are CBOR in byte strings without a tag.
  checkCbor(protectedHeaders);
  checkCbor(payload);
  const nameSpaces = (encoded.get('nameSpaces') ?? new Map()) as NameSpaces;
  // Before each is decoded and hashed.
  const count = [...nameSpaces.values()].reduce((sum, { length }) => sum + length, 0);
  if (count > MAX_ELEMENTS) reject('malformed', 'it has too many elements');
  const { issuerAuth, issuerNamespaces } = library.IssuerSigned.fromEncodedStructure(encoded as never);
  const mso = issuerAuth.mobileSecurityObject;
  if (mso.docType === '') reject('malformed', 'it has no doctype');
  return {
    issuerAuth,
    mso,
    rawIssuerAuth,
    items: issuerNamespaces.issuerNamespaces,
    nameSpaces,
  };
}

type DecodedMdoc = ReturnType<typeof decode>;

function checkSignature({ issuerAuth, rawIssuerAuth }: DecodedMdoc, key: SignerKey, { cborEncode }: MdocLibrary): void {
  const [protectedHeaders, , payload, signature] = rawIssuerAuth;
  const headers = issuerAuth.protectedHeaders.headers;
  if (headers.has(CRITICAL)) reject('malformed', 'its header names extensions that are not understood');
  // Only the protected header is used.
  const algorithm =
    ALGORITHMS.get(headers.get(ALGORITHM)) ?? reject('invalid-signature', 'its algorithm is not one that is accepted');
  const signed = cborEncode(['Signature1', protectedHeaders, new Uint8Array(), payload]);
  if (!verifyWith(key.jwk, algorithm, Buffer.from(signed), Buffer.from(signature)))
    reject('invalid-signature', 'its signature is not valid');
}

/** Every element must match a digest that the issuer signed. */
function checkDigests({ mso, items, nameSpaces }: DecodedMdoc, { cborEncode, DataItem }: MdocLibrary): void {
  for (const [namespace, elements] of items) {
    const digests = mso.valueDigests.valueDigests.get(namespace);
    elements.forEach(({ digestId }, at) => {
      const encoded = cborEncode(DataItem.fromBuffer(nameSpaces.get(namespace)![at]!.buffer));
      const digest = createHash(HASHES[mso.digestAlgorithm]).update(encoded).digest();
      const expected = digests?.get(digestId);
      if (!expected || !digest.equals(expected)) reject('malformed', 'an element is not the one that was signed');
    });
  }
}

const keyIdOf = ({ publicKey }: X509Certificate): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

/** The issuer of a document is its root: its name, which stays when the certificate is renewed with the same key. */
const rootName = (keyId: string): string => `x509_root:${keyId}`;

/** Whether this issuer is known by one of these roots; undefined if roots say nothing about it, because it has a name of its own. */
export const isOneOfRoots = (issuer: string, roots: readonly X509Certificate[]): boolean | undefined =>
  issuer.startsWith(rootName('')) ? roots.some((root) => rootName(keyIdOf(root)) === issuer) : undefined;

function bindingOf({ mso }: DecodedMdoc): Binding {
  const { deviceKey } = mso.deviceKeyInfo;
  if (deviceKey.d !== undefined) reject('malformed', 'its device key is a private one');
  const curve = CURVES.get(deviceKey.curve) ?? reject('malformed', 'its device key is on no curve that is known');
  const { kty, crv, type, alg } = curve;
  // Otherwise verifiers could disagree about which key it is.
  const { keyType, algorithm } = deviceKey as { keyType: unknown; algorithm?: unknown };
  if (keyType !== type || (kty === 'OKP' && deviceKey.y !== undefined))
    reject('malformed', 'the curve of its device key is not one of its type');
  if (algorithm !== undefined && ALGORITHMS.get(algorithm) !== alg)
    reject('malformed', 'the algorithm of its device key is not one of its curve');
  const [x, y] = [deviceKey.x, deviceKey.y].map((bytes) => bytes && Buffer.from(bytes).toString('base64url'));
  return { kind: 'jwk', jwk: readPublicJwk({ kty, crv, x, ...(kty === 'EC' ? { y } : {}) }) };
}

const never = (): never => {
  throw new Error('not needed to show an mdoc');
};

/** The library only needs hashes and one signature to present a document. */
function contextOf(sign: CredentialHolder['sign']): Pick<MdocContext, 'crypto' | 'cose'> {
  return {
    crypto: {
      random: (length) => randomBytes(length),
      digest: ({ digestAlgorithm, bytes }) => createHash(HASHES[digestAlgorithm]).update(bytes).digest(),
      calculateEphemeralMacKey: never,
    },
    cose: {
      sign1: { sign: ({ toBeSigned }) => sign(Buffer.from(toBeSigned)), verify: never },
      mac0: { sign: never, verify: never },
    },
  };
}

async function transcriptOf(
  { audience, nonce, handover }: Pick<PresentationContext, 'audience' | 'nonce' | 'handover'>,
  { SessionTranscript }: MdocLibrary,
  context: Pick<MdocContext, 'crypto'>,
) {
  if (!handover) throw new Error('an mdoc is shown in a session: the handover is missing');
  const { responseUri, encryptionThumbprint } = handover;
  return SessionTranscript.forOid4Vp(
    { clientId: audience, nonce, responseUri, ...(encryptionThumbprint ? { jwkThumbprint: encryptionThumbprint } : {}) },
    context,
  );
}

/** The device signature for this session, without device-signed elements. */
async function deviceSigned(docType: string, context: PresentationContext, holder: CredentialHolder, library: MdocLibrary) {
  const algorithm = [...ALGORITHMS].find(([, name]) => name === holder.algorithm)?.[0];
  if (algorithm === undefined) reject('unsupported-binding', 'an mdoc cannot be shown with such a key');
  const mdocContext = contextOf(holder.sign);
  const deviceNamespaces = library.DeviceNamespaces.create({ deviceNamespaces: new Map() });
  const sessionTranscript = await transcriptOf(context, library, mdocContext);
  const deviceSignature = await library.DeviceSignature.create(
    {
      protectedHeaders: new Map([[ALGORITHM, algorithm]]),
      unprotectedHeaders: new Map(),
      detachedPayload: library.DeviceAuthentication.create({ sessionTranscript, docType, deviceNamespaces }).encode({
        asDataItem: true,
      }),
      // Required by the library, but not used by our signing function.
      signingKey: library.CoseKey.create({ keyType: library.KeyType.Reserved }),
    },
    mdocContext,
  );
  return library.DeviceSigned.create({ deviceNamespaces, deviceAuth: library.DeviceAuth.create({ deviceSignature }) });
}

/** The device signed this session, and so this request. What it says beside that is its own word, and not read. */
async function checkDevice(
  document: EncodedMap,
  { type, binding }: VerifiedCredential,
  expected: ExpectedPresentation,
  library: MdocLibrary,
): Promise<void> {
  const { cborDecode, cborEncode, DataItem } = library;
  const deviceSigned = document.get('deviceSigned') as EncodedMap;
  const nameSpaces = deviceSigned.get('nameSpaces');
  const signature = (deviceSigned.get('deviceAuth') as EncodedMap).get('deviceSignature') as DeviceSignature | undefined;
  if (!signature) reject('no-key-binding', 'its device did not sign it');
  const [protectedHeaders, , payload, value] = signature;
  if (payload !== null || !(nameSpaces instanceof DataItem)) reject('malformed', 'its signature is not one of a device');
  checkCbor(protectedHeaders);
  const headers = cborDecode<ReadonlyMap<unknown, unknown>>(protectedHeaders);
  const algorithm = ALGORITHMS.get(headers.get(ALGORITHM));
  if (algorithm === undefined || headers.has(CRITICAL)) reject('wrong-holder', 'its device signed in a way that is not accepted');
  const { encodedStructure: transcript } = await transcriptOf(expected, library, contextOf(never));
  const session = DataItem.fromData(['DeviceAuthentication', transcript, type, DataItem.fromBuffer(nameSpaces.buffer)]);
  const signed = cborEncode(['Signature1', protectedHeaders, new Uint8Array(), cborEncode(session)]);
  if (binding.kind !== 'jwk' || !verifyWith(binding.jwk, algorithm, Buffer.from(signed), Buffer.from(value)))
    reject('wrong-holder', 'its device did not sign it for this request');
}

export function createMdoc({ trust, clock }: { trust: Trust; clock: Clock }): Format {
  async function verify(encoded: EncodedMap, library: MdocLibrary): Promise<VerifiedCredential> {
    const decoded = decode(encoded, library);
    const { issuerAuth, mso, items } = decoded;
    const chain = (issuerAuth.x5chain ?? []).map((der) => Buffer.from(der).toString('base64'));
    const key = await trust.keyOfChain(chain, 'document');
    checkSignature(decoded, key, library);
    checkDigests(decoded, library);
    const { signed, validFrom, validUntil } = mso.validityInfo;
    const times = { issuedAt: signed.getTime(), validFrom: validFrom.getTime(), validUntil: validUntil.getTime() };
    if (Object.values(times).some(Number.isNaN)) reject('invalid-times', 'one of its times is not valid');
    checkTimes(times, clock);
    // ISO/IEC 18013-5, 9.1.2.4: signed, then valid, then no longer.
    if (signed > validFrom || validFrom >= validUntil) reject('invalid-times', 'its times are not in order');
    // ISO/IEC 18013-5, 9.3.1: otherwise an expired certificate could sign with an earlier date.
    if (signed < key.leaf.validFromDate || signed > key.leaf.validToDate)
      reject('invalid-times', 'it was signed when its certificate did not hold');
    const statusClaim: unknown = mso.decodedStructure.toMap().get('status' as never);
    const status = statusClaim === undefined ? undefined : referenceOf({ status: jsonOf(statusClaim, library) });
    return {
      format: NAME,
      type: mso.docType,
      types: [mso.docType],
      issuer: { id: subjectOf(key.leaf), trust: key.trust },
      claims: objectOf(
        [...items].map(([namespace, elements]) => [
          namespace,
          objectOf(elements.map((one) => [one.elementIdentifier, jsonOf(one.elementValue, library)])),
        ]),
      ),
      ...times,
      binding: bindingOf(decoded),
      ...(key.anchor ? { rootKeyId: keyIdOf(key.anchor) } : {}),
      ...(status ? { status } : {}),
      ...(key.authorityKeyIds ? { authorityKeyIds: key.authorityKeyIds } : {}),
    };
  }

  async function present(raw: unknown, context: PresentationContext, holder: CredentialHolder | undefined): Promise<string> {
    if (!holder) reject('unsupported-binding', 'an mdoc is shown with the key it is bound to');
    const library = await import('@owf/mdoc');
    const { mso, items, nameSpaces, rawIssuerAuth } = decode(read(raw, library), library);
    // Exact names only. The library would answer age_over_18 with another age element.
    const isAsked = (namespace: string, element: string): boolean =>
      context.paths.some((path) => path.length === 2 && path[0] === namespace && path[1] === element);
    const disclosed = [...items].flatMap(([namespace, elements]) => {
      const chosen = nameSpaces.get(namespace)!.filter((_, at) => isAsked(namespace, elements[at]!.elementIdentifier));
      return chosen.length > 0 ? [[namespace, chosen] as const] : [];
    });
    const device = await deviceSigned(mso.docType, context, holder, library);
    const document = new Map<string, unknown>([
      ['docType', mso.docType],
      [
        'issuerSigned',
        new Map<string, unknown>([
          // Omitted if empty.
          ...(disclosed.length > 0 ? [['nameSpaces', new Map(disclosed)] as const] : []),
          ['issuerAuth', rawIssuerAuth],
        ]),
      ],
      ['deviceSigned', device.encodedStructure],
    ]);
    const response = new Map<string, unknown>([
      ['version', '1.0'],
      ['documents', [document]],
      ['status', 0],
    ]);
    return Buffer.from(library.cborEncode(response)).toString('base64url');
  }

  /** A DeviceResponse with one document (OID4VP 1.0, B.2). One that shows no element has no namespaces. */
  async function verifyPresentation(text: string, expected: ExpectedPresentation): Promise<VerifiedCredential> {
    const library = await import('@owf/mdoc');
    const response = read(text, library);
    const [document, ...others] = response.get('documents') as readonly EncodedMap[];
    if (response.get('status') !== 0 || !document || others.length > 0) reject('malformed', 'it does not hold one document');
    const issuerSigned = document.get('issuerSigned') as EncodedMap;
    const credential = await verify(new Map([['nameSpaces', new Map()], ...issuerSigned]), library);
    if (document.get('docType') !== credential.type) reject('malformed', 'it has another doctype than its issuer signed');
    await checkDevice(document, credential, expected, library);
    return credential;
  }

  async function issuerAlgorithm(raw: unknown): Promise<number | undefined> {
    const library = await import('@owf/mdoc');
    const algorithm: unknown = decode(read(raw, library), library).issuerAuth.protectedHeaders.headers.get(ALGORITHM);
    return typeof algorithm === 'number' ? algorithm : undefined;
  }

  return {
    verify: (raw) =>
      asRejection(async () => {
        const library = await import('@owf/mdoc');
        return verify(read(raw, library), library);
      }),
    present,
    verifyPresentation: (text, expected) => asRejection(() => verifyPresentation(text, expected)),
    issuerAlgorithm,
  };
}

const doctypeIn = ({ doctype_value: doctype }: QueryMeta): string | undefined =>
  typeof doctype === 'string' ? doctype : undefined;

/** All that are verified. */
const SUPPORTED = [...ALGORITHMS.keys()] as readonly number[];

export const mdoc: CredentialFormat = {
  name: NAME,
  formerNames: [],
  supported: { issuerauth_alg_values: SUPPORTED, deviceauth_alg_values: SUPPORTED },
  algorithmLists: { issuer: 'issuerauth_alg_values', holder: 'deviceauth_alg_values' },
  ...plainAlgorithms,
  query: {
    metaFor: (types) => types.flat().map((type) => ({ doctype_value: type })),
    isAsked: ({ type }, meta) => doctypeIn(meta) === type,
    typesIn(meta) {
      const doctype = doctypeIn(meta);
      return doctype === undefined ? undefined : [doctype];
    },
    describe: ({ type }) => ({ credential_format: NAME, doctype: type, namespaces: {} }),
  },
  readsPresentations: true,
  holder: { alwaysSigns: true, byDidOnly: false, followsDid: false, confirmsTransactions: false },
  disclosure: 'asked',
  isInHaip: true,
  about: ({ issuer, type }) => ({ issuer: issuer.id, docType: type }),
  issuerName: ({ rootKeyId }) => (rootKeyId === undefined ? undefined : rootName(rootKeyId)),
  isTrustedByRootsOnly: true,
  // Namespace and element.
  isClaimPath: (path) => path.length === 2 && !path.includes(null),
  create: createMdoc,
};
