// W3C credentials as JWT (`jwt_vc_json`): VCDM 1.1 in the claim `vc`, VCDM 2.0 as the payload itself.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { decodeJws, signJws, verifyJws } from '../jose/index.ts';
import { readPublicJwk } from '../resolver/index.ts';
import { referenceOf, type StatusReference } from '../status/index.ts';
import type { Trust } from '../trust/index.ts';
import {
  asRejection,
  type Binding,
  type CredentialFormat,
  type CredentialHolder,
  type ExpectedPresentation,
  type Format,
  type HolderChecks,
  type PresentationContext,
  plainAlgorithms,
  readJws,
  reject,
  SUPPORTED_ALGORITHMS,
  type VerifiedCredential,
} from './format.ts';
import { checkTimes, intersectTimes, SKEW_MS, timesOfJwt, timesOfW3c } from './times.ts';
import { aboutW3c, didOf, idOf, isObject, type JsonDocument, subjectIdOf, typesOf, w3cQuery } from './w3c.ts';

const NAME = 'jwt_vc_json';
const MINUTES_MS = 5 * 60_000;

/** `vc+jwt` of VCDM 2.0, and earlier types. Anything else is a JWT for another purpose. */
const TYPES: readonly string[] = ['jwt', 'vc+jwt', 'vc+ld+jwt', 'vc-ld+jwt', 'vc+ld+json+jwt'];

function bindingOf(payload: JsonDocument, subject: string | undefined): Binding {
  const jwk = isObject(payload.cnf) ? payload.cnf.jwk : undefined;
  if (jwk !== undefined) return { kind: 'jwk', jwk: readPublicJwk(jwk) };
  const did = didOf(subject);
  return did === undefined ? { kind: 'none' } : { kind: 'did', did };
}

/** In VCDM 1.1 the subject may be only in `sub` (6.3.1). It is copied into the credential, where queries look for it. */
function withSubject(credential: JsonDocument, id: string | undefined): JsonDocument {
  const { credentialSubject: about } = credential;
  return id === undefined || !isObject(about) || 'id' in about
    ? credential
    : { ...credential, credentialSubject: { id, ...about } };
}

/** The lists of VCDM in the credential, and the one of the JWT beside it. A claim that only has the name of the latter says nothing. */
function statusIn(credential: JsonDocument, payload: JsonDocument): StatusReference | undefined {
  const { status } = payload;
  if (credential === payload || !isObject(status) || status.status_list === undefined)
    return referenceOf(credential) ?? referenceOf(payload);
  const beside = referenceOf({ status })!;
  const inside = referenceOf(credential) ?? referenceOf({ credentialStatus: payload.credentialStatus });
  if (!inside) return beside;
  const { also = [], ...first } = inside;
  return { ...beside, also: [first, ...also] };
}

/** A VCDM 2.0 presentation holds credentials as data: addresses. */
const ENVELOPED = /^data:application\/vc\+jwt[;,]/;

/** The only credential in a presentation as a JWT. */
function credentialIn(payload: JsonDocument): string {
  const presentation = isObject(payload.vp) ? payload.vp : payload;
  if (![presentation.type].flat().includes('VerifiablePresentation')) reject('malformed', 'it is no presentation');
  const [one, ...others] = [presentation.verifiableCredential].flat();
  if (others.length > 0) reject('malformed', 'it holds more than one credential');
  if (typeof one === 'string') return one;
  const id = isObject(one) && typeof one.id === 'string' ? one.id : '';
  return ENVELOPED.test(id) ? id.slice(id.indexOf(',') + 1) : reject('malformed', 'it holds no credential');
}

export function createJwtVc({ trust, clock }: { trust: Trust; clock: Clock }): Format {
  async function verify(raw: unknown): Promise<VerifiedCredential> {
    const { header, payload } = decodeJws(raw);
    if (
      header.typ !== undefined &&
      !TYPES.includes(
        String(header.typ)
          .toLowerCase()
          .replace(/^application\//, ''),
      )
    )
      reject('wrong-type', 'its header says that it is something else');
    const credential = isObject(payload.vc) ? payload.vc : payload;
    const types = typesOf(credential);
    const issuer = typeof payload.iss === 'string' ? payload.iss : idOf(credential.issuer);
    if (issuer === undefined) reject('malformed', 'it has no issuer');
    // If both are present, they must be equal (VCDM 1.1, 6.3.1).
    const namedIssuer = idOf(credential.issuer);
    if (namedIssuer !== undefined && namedIssuer !== issuer) reject('malformed', 'it names two issuers');
    const key = await trust.keyOfJwt(header, issuer);
    await verifyJws(raw as string, key.jwk);
    const times = intersectTimes(timesOfW3c(credential), timesOfJwt(payload));
    checkTimes(times, clock);
    const about = subjectIdOf(credential);
    const subject = typeof payload.sub === 'string' ? payload.sub : about;
    if (about !== undefined && about !== subject) reject('malformed', 'it names two subjects');
    const status = statusIn(credential, payload);
    return {
      format: NAME,
      type: types.at(-1)!,
      types,
      issuer: { id: issuer, trust: key.trust },
      ...(subject === undefined ? {} : { subject }),
      claims: withSubject(credential, subject),
      ...times,
      binding: bindingOf(payload, subject),
      ...(status ? { status } : {}),
      ...(key.authorityKeyIds ? { authorityKeyIds: key.authorityKeyIds } : {}),
    };
  }

  /** A presentation as a JWT, bound to holder, verifier and nonce. */
  async function present(
    raw: unknown,
    { nonce, audience, now }: PresentationContext,
    holder: CredentialHolder | undefined,
  ): Promise<string> {
    if (!holder) reject('unsupported-binding', 'a credential that is bound to nobody cannot be shown as a JWT');
    const by = didOf(holder.didUrl);
    const presentation = {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiablePresentation'],
      ...(by ? { holder: by } : {}),
      verifiableCredential: [raw],
    };
    return signJws(
      { typ: 'JWT', alg: holder.algorithm, ...(holder.didUrl ? { kid: holder.didUrl } : { jwk: holder.jwk }) },
      {
        ...(by ? { iss: by, sub: by } : {}),
        aud: audience,
        nonce,
        jti: `urn:uuid:${randomUUID()}`,
        iat: Math.floor(now / 1000),
        nbf: Math.floor(now / 1000),
        exp: Math.floor((now + MINUTES_MS) / 1000),
        vp: presentation,
      },
      holder.sign,
    );
  }

  async function verifyPresentation(text: string, expected: ExpectedPresentation, holder: HolderChecks) {
    const { header, payload } = readJws(text, 'the presentation');
    const credential = await asRejection(() => verify(credentialIn(payload)));
    await holder.signed(text, credential.binding, header.kid);
    holder.expected(payload, expected);
    if (payload.exp !== undefined && !(typeof payload.exp === 'number' && payload.exp * 1000 > clock.now() - SKEW_MS))
      reject('wrong-time', 'it has expired');
    return credential;
  }

  return {
    verify: (raw) => asRejection(() => verify(raw)),
    present,
    verifyPresentation,
    issuerAlgorithm: async (raw) => String(decodeJws(raw).header.alg),
  };
}

export const jwtVc: CredentialFormat = {
  name: NAME,
  formerNames: [],
  supported: { alg_values: SUPPORTED_ALGORITHMS },
  algorithmLists: { issuer: 'alg_values', holder: 'alg_values' },
  ...plainAlgorithms,
  query: w3cQuery(NAME),
  readsPresentations: true,
  holder: { alwaysSigns: true, byDidOnly: false, followsDid: true, confirmsTransactions: false },
  disclosure: 'all',
  isInHaip: false,
  about: aboutW3c,
  issuerName: ({ issuer }) => issuer.id,
  isTrustedByRootsOnly: false,
  isClaimPath: () => true,
  create: createJwtVc,
};
