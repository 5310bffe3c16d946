// The content of a Fernet token of Keystone, by its version: a list of fields, each at its place. As in Keystone's token_formatters.py.
import { isId, type KeystoneClaims, timeOf } from './claims.ts';
import { type Packed, unpackMessage } from './msgpack.ts';

/** Undefined: the value is not possible there. */
type ReadField = (value: Packed, methods: readonly string[]) => Partial<KeystoneClaims> | undefined;

const UUID_BYTES = 16;

/** What is neither: an id that is no UUID, before texts and bytes had different types, is read as text. */
const bytesOf = (value: Packed): Buffer | undefined =>
  typeof value === 'string' ? Buffer.from(value) : Buffer.isBuffer(value) ? value : undefined;

/** UUIDs are stored without their letters. */
function uuidOf(value: Packed): string | undefined {
  const bytes = bytesOf(value);
  return bytes?.length === UUID_BYTES ? bytes.toString('hex') : undefined;
}

/** As a pair: whether it is stored as a UUID, and the id. */
function taggedId(value: Packed): string | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [isUuid, id] = value as readonly Packed[];
  if (isUuid === true) return uuidOf(id!);
  return isUuid === false && isId(id) ? id : undefined;
}

const id =
  (name: keyof KeystoneClaims, read: (value: Packed) => string | undefined): ReadField =>
  (value) => {
    const found = read(value);
    return found === undefined ? undefined : { [name]: found };
  };

const isNone = (value: Packed): boolean => Array.isArray(value) && value.length === 2 && value[0] === false && value[1] === null;
const orNone =
  (read: ReadField): ReadField =>
  (value, methods) =>
    isNone(value) ? {} : read(value, methods);

/** Tokens of Keystone have one or two. */
const auditIdOf = (value: Packed): string | undefined => {
  const bytes = bytesOf(value);
  return bytes?.length === UUID_BYTES ? bytes.toString('base64url') : undefined;
};

/** Of those who log in through another provider; what they are members of here counts. */
const MAX_GROUPS = 200;

const FIELDS = {
  user: id('userId', taggedId),
  project: id('projectId', taggedId),
  maybeProject: orNone(id('projectId', taggedId)),
  maybeDomain: orNone(id('domainId', taggedId)),
  taggedDomain: id('domainId', taggedId),
  /** Not as a pair: the default domain may have an id that is no UUID. */
  domain: id('domainId', (value) => (Buffer.isBuffer(value) ? uuidOf(value) : isId(value) ? value : undefined)),
  trust: id('trustId', uuidOf),
  accessToken: id('accessTokenId', taggedId),
  applicationCredential: id('applicationCredentialId', taggedId),
  provider: id('providerId', taggedId),
  protocol: id('protocolId', (value) => (isId(value) ? value : undefined)),
  thumbprint: id('thumbprint', taggedId),
  system: (value) => (value === 'all' ? { isForSystem: true } : undefined),
  groups: (value) =>
    Array.isArray(value) && value.length <= MAX_GROUPS && value.every((group: Packed) => taggedId(group) !== undefined)
      ? {}
      : undefined,
  /** The sum of their bits. */
  methods(value, methods) {
    if (typeof value !== 'number' || !Number.isInteger(value) || value >= 2 ** methods.length) return undefined;
    return { methods: methods.filter((_, index) => value & (1 << index)) };
  },
  expiry(value) {
    const expiresAt = timeOf(value);
    return expiresAt === undefined ? undefined : { expiresAt };
  },
  auditIds(value) {
    const auditIds = Array.isArray(value) && value.length <= 2 ? value.map(auditIdOf) : [];
    return auditIds.length === 0 || auditIds.includes(undefined) ? undefined : { auditIds: auditIds as string[] };
  },
} satisfies Record<string, ReadField>;

/** By version. */
const PAYLOADS: readonly (readonly (keyof typeof FIELDS)[])[] = [
  ['user', 'methods', 'expiry', 'auditIds'],
  ['user', 'methods', 'domain', 'expiry', 'auditIds'],
  ['user', 'methods', 'project', 'expiry', 'auditIds'],
  ['user', 'methods', 'project', 'expiry', 'auditIds', 'trust'],
  ['user', 'methods', 'groups', 'provider', 'protocol', 'expiry', 'auditIds'],
  ['user', 'methods', 'project', 'groups', 'provider', 'protocol', 'expiry', 'auditIds'],
  ['user', 'methods', 'taggedDomain', 'groups', 'provider', 'protocol', 'expiry', 'auditIds'],
  ['user', 'methods', 'project', 'accessToken', 'expiry', 'auditIds'],
  ['user', 'methods', 'system', 'expiry', 'auditIds'],
  ['user', 'methods', 'project', 'expiry', 'auditIds', 'applicationCredential'],
  ['user', 'methods', 'maybeProject', 'maybeDomain', 'expiry', 'auditIds', 'thumbprint'],
];

/** `methods`: the names of the bits, the lowest first. Undefined when it is not what Keystone writes. */
export function readPayload(bytes: Buffer, methods: readonly string[], issuedAt: number): KeystoneClaims | undefined {
  const message = unpackMessage(bytes);
  if (!Array.isArray(message)) return undefined;
  const [version, ...values] = message as readonly Packed[];
  const fields = typeof version === 'number' ? PAYLOADS[version] : undefined;
  if (fields?.length !== values.length) return undefined;
  let claims: Partial<KeystoneClaims> = { issuedAt };
  for (const [index, field] of fields.entries()) {
    const read: ReadField = FIELDS[field];
    const found = read(values[index]!, methods);
    if (!found) return undefined;
    claims = { ...claims, ...found };
  }
  return claims as KeystoneClaims;
}
