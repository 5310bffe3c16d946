// Maps an LDAP entry to a user or a group by the settings of the domain, as Keystone does.
import type { Entry } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { guidText } from './filters.ts';

export interface DirectoryUser {
  readonly localId: string;
  readonly dn: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly email: string | null;
  readonly description: string | null;
  /** Undefined when it does not come from the directory. */
  readonly defaultProjectId: string | null | undefined;
  /** Attributes of user_additional_attribute_mapping. */
  readonly extra: Readonly<Record<string, string>>;
  /** Identifiers that are never given to another entry, by the name of their attribute in small letters. */
  readonly uniqueIds: Readonly<Record<string, string>>;
  /** When the password was last changed, as the server says it; null when it does not. */
  readonly passwordChanged: string | null;
}

export interface DirectoryGroup {
  readonly localId: string;
  readonly dn: string;
  readonly name: string;
  readonly description: string;
  readonly extra: Readonly<Record<string, string>>;
}

/** The length of Keystone's columns. */
const LONGEST = 255;
/** The longest description or additional attribute. */
const LONGEST_TEXT = 4096;
/** When a password was changed: OpenLDAP and 389 Directory Server, Active Directory, FreeIPA. */
const PASSWORD_CHANGED = ['pwdChangedTime', 'pwdLastSet', 'krbLastPwdChange'];
/** When an account of Active Directory ends: in units of 100 ns since 1601. */
const ACCOUNT_EXPIRES = 'accountExpires';
const UNITS_IN_MS = 10_000n;
const YEAR_1601_MS = Date.UTC(1601, 0, 1);
const NEVER: readonly bigint[] = [0n, 2n ** 63n - 1n];

/** Of OpenLDAP and most others (RFC 4530), Active Directory, 389 Directory Server, FreeIPA. */
const UNIQUE_IDS = ['entryUUID', 'objectGUID', 'nsUniqueId', 'ipaUniqueID'];

/** The attributes that are never used again: the one of the settings, or those that servers have. */
const uniqueIdAttributes = ({ userUniqueIdAttribute: own }: LdapSettings): readonly string[] =>
  own === undefined ? UNIQUE_IDS : [own];

function textOf(value: string | Buffer): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? undefined : value;
  return value.length === 16 ? guidText(value) : undefined;
}

/** The values of an attribute. Its name is compared without case. */
export function valuesOf(entry: Entry, attribute: string): string[] {
  const wanted = attribute.toLowerCase();
  const key = Object.keys(entry).find((name) => name.toLowerCase() === wanted);
  const values = key === undefined ? [] : [entry[key]!].flat();
  return values.map(textOf).filter((text) => text !== undefined);
}

function nameIn(entry: Entry, attribute: string): string | undefined {
  const name = valuesOf(entry, attribute)[0]?.trim();
  return name && name.length <= LONGEST ? name : undefined;
}

/** An attribute with several values cannot be the id. (Keystone takes it from the DN then, which is not unique.) */
function idIn(entry: Entry, attribute: string): string | undefined {
  const [id, ...others] = valuesOf(entry, attribute);
  return id && others.length === 0 && id.length <= LONGEST ? id : undefined;
}

function isEnabled(entry: Entry, ldap: LdapSettings): boolean {
  if (ldap.userAttributeIgnore.includes('enabled') || ldap.userEnabledEmulation) return true;
  const value = valuesOf(entry, ldap.userEnabledAttribute)[0] ?? ldap.userEnabledDefault;
  if (ldap.userEnabledMask !== 0) {
    const bits = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    // A value that is not a number means disabled.
    return Number.isSafeInteger(bits) && (bits & ldap.userEnabledMask) !== ldap.userEnabledMask;
  }
  return (value.toLowerCase() === 'true') !== ldap.userEnabledInvert;
}

/** Active Directory refuses the password of an account that has ended. A passkey or another provider must not open it either. */
function hasEnded(entry: Entry, now: number): boolean {
  const [value = ''] = valuesOf(entry, ACCOUNT_EXPIRES);
  const at = /^\d{1,19}$/.test(value) ? BigInt(value) : 0n;
  return !NEVER.includes(at) && YEAR_1601_MS + Number(at / UNITS_IN_MS) <= now;
}

/** A value that is too long is left out: cut off it would be another value. */
const shortIn = (entry: Entry, attribute: string, longest: number): string | undefined => {
  const [value] = valuesOf(entry, attribute);
  return value !== undefined && value.length <= longest ? value : undefined;
};

const extraIn = (entry: Entry, mapping: LdapSettings['userAdditionalAttributeMapping'], ignored: readonly string[]) =>
  Object.fromEntries(
    mapping
      .filter(({ name }) => !ignored.includes(name))
      .map(({ ldap, name }) => [name, shortIn(entry, ldap, LONGEST_TEXT)] as const)
      .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
  );

const uniqueIdsIn = (entry: Entry, ldap: LdapSettings): Record<string, string> =>
  Object.fromEntries(
    uniqueIdAttributes(ldap).flatMap((name) => {
      const id = idIn(entry, name);
      return id === undefined ? [] : [[name.toLowerCase(), id]];
    }),
  );

/** Undefined for an entry without an id or a name. `now`: in milliseconds. */
export function userOf(entry: Entry, ldap: LdapSettings, now: number): DirectoryUser | undefined {
  const localId = idIn(entry, ldap.userIdAttribute);
  const name = nameIn(entry, ldap.userNameAttribute);
  if (localId === undefined || name === undefined) return undefined;
  const ignored = ldap.userAttributeIgnore;
  const taken = (field: string, attribute: string, longest = LONGEST): string | null =>
    ignored.includes(field) ? null : (shortIn(entry, attribute, longest) ?? null);
  const project = ldap.userDefaultProjectIdAttribute;
  return {
    localId,
    dn: entry.dn,
    name,
    enabled: isEnabled(entry, ldap) && (ignored.includes('enabled') || !hasEnded(entry, now)),
    email: taken('email', ldap.userMailAttribute),
    description: taken('description', ldap.userDescriptionAttribute, LONGEST_TEXT),
    defaultProjectId:
      project === undefined || ignored.includes('default_project_id') ? undefined : taken('default_project_id', project),
    extra: extraIn(entry, ldap.userAdditionalAttributeMapping, ignored),
    uniqueIds: uniqueIdsIn(entry, ldap),
    passwordChanged: PASSWORD_CHANGED.map((name) => shortIn(entry, name, LONGEST)).find((value) => value !== undefined) ?? null,
  };
}

export function groupOf(entry: Entry, ldap: LdapSettings): DirectoryGroup | undefined {
  const localId = idIn(entry, ldap.groupIdAttribute);
  const name = nameIn(entry, ldap.groupNameAttribute);
  if (localId === undefined || name === undefined) return undefined;
  const ignored = ldap.groupAttributeIgnore;
  return {
    localId,
    dn: entry.dn,
    name,
    description: ignored.includes('description') ? '' : (shortIn(entry, ldap.groupDescAttribute, LONGEST_TEXT) ?? ''),
    extra: extraIn(entry, ldap.groupAdditionalAttributeMapping, ignored),
  };
}

export const userAttributes = (ldap: LdapSettings): string[] => [
  ...new Set([
    ldap.userIdAttribute,
    ldap.userNameAttribute,
    ldap.userMailAttribute,
    ldap.userDescriptionAttribute,
    ldap.userEnabledAttribute,
    ACCOUNT_EXPIRES,
    ...uniqueIdAttributes(ldap),
    ...PASSWORD_CHANGED,
    ...(ldap.userDefaultProjectIdAttribute === undefined ? [] : [ldap.userDefaultProjectIdAttribute]),
    ...ldap.userAdditionalAttributeMapping.map(({ ldap: attribute }) => attribute),
  ]),
];

export const groupAttributes = (ldap: LdapSettings): string[] => [
  ...new Set([
    ldap.groupIdAttribute,
    ldap.groupNameAttribute,
    ldap.groupDescAttribute,
    ...ldap.groupAdditionalAttributeMapping.map(({ ldap: attribute }) => attribute),
  ]),
];
