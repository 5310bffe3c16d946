// Makes mobile documents (ISO/IEC 18013-5, 9.1.2), in the CBOR of @owf/mdoc. Its builder knows no status, so that the structures are put
// together here.
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { coseKeyOf, isCoseKey } from '../formats/index.ts';
import type { IssuedFormat } from './issued-format.ts';

const ES256 = -7;
/** Headers of COSE (RFC 9052, RFC 9360). */
const ALGORITHM = 1;
const X5CHAIN = 33;
/** Each element has its own, so that nobody guesses a value from its digest. */
const SALT_BYTES = 32;
/** Ids of digests are smaller (9.1.2.4). */
const DIGEST_IDS = 2 ** 31;

const mapOf = (object: object): Map<string, unknown> => new Map(Object.entries(object));

/** JSON values as CBOR. */
function cborOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cborOf);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, inner]) => [name, cborOf(inner)]));
}

/** In no order, so that an id does not say which element it is of. */
function newDigestIds(count: number): number[] {
  const ids = new Set<number>();
  while (ids.size < count) ids.add(randomInt(DIGEST_IDS));
  return [...ids];
}

const dateOf = (seconds: number): Date => new Date(seconds * 1000);

export const mdoc: IssuedFormat = {
  name: 'mso_mdoc',
  shownAs: 'mso_mdoc',
  suffix: 'mdoc',
  queryId: 'own_mdoc',
  needsDocumentSigner: true,
  bindingMethods: ['cose_key'],
  canBind: isCoseKey,
  signingAlgorithms: [ES256],
  typeMetadata: ({ doctype }) => ({ doctype }),
  claimPath: (claim, { doctype }) => [doctype, claim],
  queryNames: ({ doctype }) => [[doctype]],
  saysTypeName: false,
  registryName: () => undefined,
  // Its elements are shown only when they are asked for. The record of it says whose it is.
  userIn: () => ({}),
  async make({ type, user, roles, profile, holder, issuedAt, expiresAt, status }, { signBytes }) {
    const { cborEncode, DataItem } = await import('@owf/mdoc');
    const elements = Object.entries({ ...(user ? { sub: user.id } : {}), roles, ...profile });
    const ids = newDigestIds(elements.length);
    const items = elements.map(([elementIdentifier, value], at) => ({
      id: ids[at]!,
      item: DataItem.fromData(
        mapOf({ digestID: ids[at], random: randomBytes(SALT_BYTES), elementIdentifier, elementValue: cborOf(value) }),
      ),
    }));
    const digests = items
      .map(({ id, item }) => [id, createHash('sha256').update(cborEncode(item)).digest()] as const)
      .sort(([one], [other]) => one - other);
    const times = { signed: dateOf(issuedAt), validFrom: dateOf(issuedAt), validUntil: dateOf(expiresAt) };
    const securityObject = mapOf({
      version: '1.0',
      digestAlgorithm: 'SHA-256',
      valueDigests: new Map([[type.doctype, new Map(digests)]]),
      deviceKeyInfo: mapOf({ deviceKey: coseKeyOf(holder.jwk) }),
      docType: type.doctype,
      validityInfo: mapOf(times),
      status: mapOf({ status_list: mapOf({ idx: status.token.idx, uri: status.token.uri }) }),
    });
    const protectedHeaders = cborEncode(new Map([[ALGORITHM, ES256]]));
    const payload = cborEncode(DataItem.fromData(securityObject));
    const { signature, chain } = await signBytes(
      Buffer.from(cborEncode(['Signature1', protectedHeaders, new Uint8Array(), payload])),
    );
    const certificates = chain.map((der) => Buffer.from(der, 'base64'));
    const x5chain = certificates.length === 1 ? certificates[0] : certificates;
    const document = mapOf({
      nameSpaces: new Map([[type.doctype, items.map(({ item }) => item)]]),
      issuerAuth: [protectedHeaders, new Map([[X5CHAIN, x5chain]]), payload, signature],
    });
    return Buffer.from(cborEncode(document)).toString('base64url');
  },
};
