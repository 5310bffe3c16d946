// From an entry of a directory to a user or a group, by the settings of the domain. As Keystone reads them, and nothing more of an entry.
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
  /** Undefined where the directory has no say in it. */
  readonly defaultProjectId: string | null | undefined;
  /** What else the settings take from the entry. */
  readonly extra: Readonly<Record<string, string>>;
}

export interface DirectoryGroup {
  readonly localId: string;
  readonly dn: string;
  readonly name: string;
  readonly description: string;
  readonly extra: Readonly<Record<string, string>>;
}

/** As long as a column of Keystone; longer ones are no names. */
const LONGEST = 255;

function textOf(value: string | Buffer): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? undefined : value;
  return value.length === 16 ? guidText(value) : undefined;
}

/** The values of an attribute; servers write its name in their own case. */
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

/** An id that is not one is nobody's: Keystone guesses from the DN then, which two entries can share. */
function idIn(entry: Entry, attribute: string): string | undefined {
  const [id, ...others] = valuesOf(entry, attribute);
  return id && others.length === 0 && id.length <= LONGEST ? id : undefined;
}

function isEnabled(entry: Entry, ldap: LdapSettings): boolean {
  if (ldap.userAttributeIgnore.includes('enabled') || ldap.userEnabledEmulation) return true;
  const value = valuesOf(entry, ldap.userEnabledAttribute)[0] ?? ldap.userEnabledDefault;
  if (ldap.userEnabledMask !== 0) {
    const bits = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
    // What is no number opens no account.
    return Number.isSafeInteger(bits) && (bits & ldap.userEnabledMask) !== ldap.userEnabledMask;
  }
  return (value.toLowerCase() === 'true') !== ldap.userEnabledInvert;
}

const extraIn = (entry: Entry, mapping: LdapSettings['userAdditionalAttributeMapping'], ignored: readonly string[]) =>
  Object.fromEntries(
    mapping
      .filter(({ name }) => !ignored.includes(name))
      .map(({ ldap, name }) => [name, valuesOf(entry, ldap)[0]] as const)
      .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
  );

/** Undefined for an entry without id or name: nobody could tell them apart, or log in. */
export function userOf(entry: Entry, ldap: LdapSettings): DirectoryUser | undefined {
  const localId = idIn(entry, ldap.userIdAttribute);
  const name = nameIn(entry, ldap.userNameAttribute);
  if (localId === undefined || name === undefined) return undefined;
  const ignored = ldap.userAttributeIgnore;
  const taken = (field: string, attribute: string): string | null =>
    ignored.includes(field) ? null : (valuesOf(entry, attribute)[0] ?? null);
  const project = ldap.userDefaultProjectIdAttribute;
  return {
    localId,
    dn: entry.dn,
    name,
    enabled: isEnabled(entry, ldap),
    email: taken('email', ldap.userMailAttribute),
    description: taken('description', ldap.userDescriptionAttribute),
    defaultProjectId:
      project === undefined || ignored.includes('default_project_id') ? undefined : taken('default_project_id', project),
    extra: extraIn(entry, ldap.userAdditionalAttributeMapping, ignored),
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
    description: ignored.includes('description') ? '' : (valuesOf(entry, ldap.groupDescAttribute)[0] ?? ''),
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
