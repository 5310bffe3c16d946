// Tokens of Keystone's JWS provider: a compact JWS with the claims of keystone/token/providers/jws. What signs is decided by the key, not by
// the token.
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isId, type KeystoneClaims, timeOf } from './claims.ts';

/** Groups of a federated login take 48 characters each. */
const MAX_TEXT = 8192;
const MAX_GROUPS = 200;

export interface JwsKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  /** Undefined: the algorithm has one of its own. */
  readonly hash: string | undefined;
}

const ALGORITHMS: Readonly<Record<string, Omit<JwsKey, 'key'>>> = {
  prime256v1: { algorithm: 'ES256', hash: 'sha256' },
  secp384r1: { algorithm: 'ES384', hash: 'sha384' },
  secp521r1: { algorithm: 'ES512', hash: 'sha512' },
  ed25519: { algorithm: 'EdDSA', hash: undefined },
};

/** Undefined when it is no public key, or one of another kind. */
export function jwsKeyOf(pem: string): JwsKey | undefined {
  // A public key could be made of a private one, but that has no business here.
  if (!pem.includes('-----BEGIN PUBLIC KEY-----') || pem.includes('PRIVATE KEY')) return undefined;
  try {
    const key = createPublicKey(pem);
    const kind = ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? ''];
    return kind && { key, ...kind };
  } catch {
    return undefined;
  }
}

export const isJws = (text: string): boolean => text.startsWith('eyJ') && text.includes('.');

interface Envelope {
  readonly algorithm: string;
  readonly claims: KeystoneClaims;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const isAuditId = (value: unknown): boolean =>
  typeof value === 'string' && /^[\w-]{22}$/.test(value) && Buffer.from(value, 'base64url').toString('base64url') === value;
const listOf =
  (isItem: (value: unknown) => boolean, most: number) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length <= most && value.every(isItem);
const isGroup = (value: unknown): boolean => isId((value as { id?: unknown } | null)?.id);

const CLAIMS: Readonly<Record<string, { readonly name?: keyof KeystoneClaims; readonly isValid: (value: unknown) => boolean }>> =
  {
    sub: { name: 'userId', isValid: isId },
    iat: { isValid: (value) => timeOf(value) !== undefined },
    exp: { isValid: (value) => timeOf(value) !== undefined },
    openstack_methods: { name: 'methods', isValid: listOf(isId, 16) },
    openstack_audit_ids: { name: 'auditIds', isValid: listOf(isAuditId, 2) },
    openstack_system: { isValid: (value) => value === 'all' },
    openstack_domain_id: { name: 'domainId', isValid: isId },
    openstack_project_id: { name: 'projectId', isValid: isId },
    openstack_trust_id: { name: 'trustId', isValid: isId },
    openstack_group_ids: { isValid: listOf(isGroup, MAX_GROUPS) },
    openstack_idp_id: { name: 'providerId', isValid: isId },
    openstack_protocol_id: { name: 'protocolId', isValid: isId },
    openstack_access_token_id: { name: 'accessTokenId', isValid: isId },
    openstack_app_cred_id: { name: 'applicationCredentialId', isValid: isId },
    openstack_thumbprint: { name: 'thumbprint', isValid: isId },
  };
const REQUIRED = ['sub', 'iat', 'exp', 'openstack_methods', 'openstack_audit_ids'];

function claimsOf(payload: Readonly<Record<string, unknown>>): KeystoneClaims | undefined {
  if (REQUIRED.some((name) => !Object.hasOwn(payload, name))) return undefined;
  const named: Partial<Record<keyof KeystoneClaims, unknown>> = {};
  for (const [name, value] of Object.entries(payload)) {
    const claim = Object.hasOwn(CLAIMS, name) ? CLAIMS[name]! : undefined;
    if (!claim?.isValid(value)) return undefined;
    if (claim.name) named[claim.name] = value;
  }
  const [issuedAt, expiresAt] = [timeOf(payload.iat), timeOf(payload.exp)];
  return { ...named, issuedAt, expiresAt, isForSystem: payload.openstack_system !== undefined } as KeystoneClaims;
}

/** Undefined for what has not the form of such a token. Nothing in it is to be believed before `isSigned`. */
export function readJws(text: string): Envelope | undefined {
  if (text.length > MAX_TEXT || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined;
  const [head, body, end] = text.split('.') as [string, string, string];
  const header = jsonOf(head);
  const signature = Buffer.from(end, 'base64url');
  if (!header || signature.toString('base64url') !== end) return undefined;
  const { alg, typ = 'JWT', ...others } = header;
  if (typeof alg !== 'string' || typ !== 'JWT' || Object.keys(others).length > 0) return undefined;
  const payload = jsonOf(body);
  const claims = payload && claimsOf(payload);
  return claims && { algorithm: alg, claims, signed: Buffer.from(`${head}.${body}`), signature };
}

/** Whether one of the keys made the signature. */
export const isSigned = ({ algorithm, signed, signature }: Envelope, keys: readonly JwsKey[]): boolean =>
  keys.some(
    (one) => one.algorithm === algorithm && verify(one.hash, signed, { key: one.key, dsaEncoding: 'ieee-p1363' }, signature),
  );
