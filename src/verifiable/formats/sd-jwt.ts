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
import { asRejection, type Binding, type Format, reject, type VerifiedCredential } from './format.ts';
import { checkTimes, timesOfJwt } from './times.ts';

const TYPES: readonly unknown[] = ['dc+sd-jwt', 'vc+sd-jwt'];
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
      format: 'dc+sd-jwt',
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

  return {
    name: 'dc+sd-jwt',
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
