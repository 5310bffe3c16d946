// SD-JWT VC (`dc+sd-jwt`, formerly `vc+sd-jwt`), with selective disclosure of claims.
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { decodeJws, signJws, verifyJws } from '../jose/index.ts';
import { readPublicJwk } from '../resolver/index.ts';
import { referenceOf } from '../status/index.ts';
import { subjectOf, type Trust } from '../trust/index.ts';
import {
  claimsOf,
  type DisclosureTree,
  decodeDisclosures,
  disclosuresIn,
  HASHES,
  partialListsIn,
  selectDisclosures,
} from './disclosures.ts';
import {
  asRejection,
  type Binding,
  type CredentialFormat,
  type ExpectedPresentation,
  type Format,
  type HolderChecks,
  plainAlgorithms,
  readJws,
  reject,
  SUPPORTED_ALGORITHMS,
  type TypeQuery,
  type VerifiedCredential,
} from './format.ts';
import { checkTimes, timesOfJwt } from './times.ts';

const NAME = 'dc+sd-jwt';
const FORMER_NAME = 'vc+sd-jwt';
const TYPES: readonly unknown[] = [NAME, FORMER_NAME];
const MAX_LENGTH = 256 * 1024;
/** Claims that must not be selectively disclosable, because they define the credential (SD-JWT VC, 2.2.2.2). */
const OPEN_CLAIMS = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status'];

function bindingOf(cnf: unknown): Binding {
  if (cnf === undefined) return { kind: 'none' };
  const { jwk, kid } = (cnf ?? {}) as { jwk?: unknown; kid?: unknown };
  if (jwk !== undefined) return { kind: 'jwk', jwk: readPublicJwk(jwk) };
  if (typeof kid === 'string' && kid.startsWith('did:')) return { kind: 'did', did: kid.split('#', 1)[0]! };
  return reject('unsupported-binding', 'it is bound in a way that is not supported');
}

interface DecodedSdJwt {
  readonly jwt: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly disclosures: readonly string[];
  readonly root: DisclosureTree;
  readonly hash: string;
}

function decode(raw: unknown): DecodedSdJwt {
  if (typeof raw !== 'string' || raw.length > MAX_LENGTH || !raw.endsWith('~'))
    reject('malformed', 'it is not an SD-JWT as issuers send it');
  const [jwt = '', ...disclosures] = raw.split('~').slice(0, -1);
  const { header, payload } = decodeJws(jwt);
  const { _sd_alg: name = 'sha-256' } = payload;
  const hash = typeof name === 'string' && Object.hasOwn(HASHES, name) ? HASHES[name] : undefined;
  if (hash === undefined) reject('unsupported', 'its hash is not one that is accepted');
  return { jwt, header, payload, disclosures, hash, root: decodeDisclosures(payload, disclosures, hash) };
}

export function createSdJwt({ trust, clock }: { trust: Trust; clock: Clock }): Format {
  async function verify(raw: unknown): Promise<VerifiedCredential> {
    const { jwt, header, payload, root } = decode(raw);
    if (!TYPES.includes(header.typ)) reject('wrong-type', 'its header does not say that it is an SD-JWT VC');
    const hidden = OPEN_CLAIMS.find((name) => disclosuresIn(root.members?.get(name) ?? {}).length > 0);
    if (hidden) reject('malformed', `${hidden} must not be held back`);
    const { vct, iss, sub, cnf } = payload;
    if (typeof vct !== 'string' || vct === '') reject('malformed', 'it has no type');
    if (iss !== undefined && typeof iss !== 'string') reject('malformed', 'its issuer is not a text');
    const key = await trust.keyOfJwt(header, iss);
    await verifyJws(jwt, key.jwk);
    const times = timesOfJwt(payload);
    checkTimes(times, clock);
    const status = referenceOf(payload);
    const partialLists = partialListsIn(root);
    return {
      format: NAME,
      type: vct,
      types: [vct],
      issuer: { id: iss ?? (key.leaf ? subjectOf(key.leaf) : ''), trust: key.trust },
      ...(typeof sub === 'string' ? { subject: sub } : {}),
      claims: claimsOf(root) as Record<string, unknown>,
      ...(partialLists.length > 0 ? { partialLists } : {}),
      ...times,
      binding: bindingOf(cnf),
      ...(status ? { status } : {}),
      ...(key.authorityKeyIds ? { authorityKeyIds: key.authorityKeyIds } : {}),
    };
  }

  /** The key binding is a JWT of its own, after the last tilde. */
  async function verifyPresentation(text: string, expected: ExpectedPresentation, holder: HolderChecks) {
    const end = text.lastIndexOf('~') + 1;
    const [presented, binding] = [text.slice(0, end), text.slice(end)];
    if (binding === '') reject('no-key-binding', 'nothing proves who holds it');
    const credential = await asRejection(() => verify(presented));
    const { header, payload } = readJws(binding, 'the key binding');
    if (header.typ !== 'kb+jwt') reject('no-key-binding', 'its type is not that of a key binding');
    await holder.signed(binding, credential.binding, header.kid);
    holder.expected(payload, expected);
    const hash = createHash(decode(presented).hash).update(presented).digest('base64url');
    if (payload.sd_hash !== hash) reject('wrong-disclosures', 'the holder showed something else');
    return credential;
  }

  return {
    verifyPresentation,
    verify: (raw) => asRejection(() => verify(raw)),
    issuerAlgorithm: async (raw) => String(decode(raw).header.alg),
    async present(raw, { paths, nonce, audience, now, transactionData }, holder) {
      const { jwt, disclosures, root, hash } = decode(raw);
      const chosen = selectDisclosures(root, paths);
      const presented = [jwt, ...disclosures.filter((one) => chosen.has(one)), ''].join('~');
      if (!holder) return presented;
      const binding = {
        iat: Math.floor(now / 1000),
        aud: audience,
        nonce,
        sd_hash: createHash(hash).update(presented).digest('base64url'),
        ...(transactionData
          ? { transaction_data_hashes: transactionData.hashes, transaction_data_hashes_alg: transactionData.algorithm }
          : {}),
      };
      return presented + (await signJws({ typ: 'kb+jwt', alg: holder.algorithm }, binding, holder.sign));
    },
  };
}

const vctsIn = ({ vct_values: values }: Readonly<Record<string, unknown>>): readonly string[] | undefined =>
  Array.isArray(values) ? (values as string[]) : undefined;

const query: TypeQuery = {
  metaFor: (types) => [{ vct_values: types.flat() }],
  isAsked: ({ type }, meta) => vctsIn(meta)?.includes(type) ?? false,
  typesIn: vctsIn,
  describe: ({ type }, named) => ({ credential_format: named, vct: type, claims: {} }),
};

export const sdJwt: CredentialFormat = {
  name: NAME,
  formerNames: [FORMER_NAME],
  supported: { 'sd-jwt_alg_values': SUPPORTED_ALGORITHMS, 'kb-jwt_alg_values': SUPPORTED_ALGORITHMS },
  algorithmLists: { issuer: 'sd-jwt_alg_values', holder: 'kb-jwt_alg_values' },
  ...plainAlgorithms,
  query,
  readsPresentations: true,
  holder: { alwaysSigns: false, byDidOnly: false, followsDid: false, confirmsTransactions: true },
  disclosure: 'asked-and-open',
  isInHaip: true,
  about: ({ issuer, type }) => ({ iss: issuer.id, vct: type }),
  issuerName: ({ claims, issuer }) => (typeof claims.iss === 'string' ? issuer.id : undefined),
  isTrustedByRootsOnly: false,
  isClaimPath: () => true,
  create: createSdJwt,
};
