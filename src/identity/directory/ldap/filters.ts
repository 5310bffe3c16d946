// Search filters. They are built from objects, never from text, so a value cannot change the filter.
import { AndFilter, EqualityFilter, ExtensibleFilter, type Filter, FilterParser, OrFilter, PresenceFilter } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';

/** Active Directory's rule for membership through nested groups. */
const MATCHING_RULE_IN_CHAIN = '1.2.840.113556.1.4.1941';

export const equals = (attribute: string, value: string | Buffer): Filter => new EqualityFilter({ attribute, value });
export const has = (attribute: string): Filter => new PresenceFilter({ attribute });
export const all = (...filters: (Filter | undefined)[]): Filter =>
  new AndFilter({ filters: filters.filter((filter) => filter !== undefined) });
export const any = (filters: readonly Filter[]): Filter => new OrFilter({ filters: [...filters] });
export const inChain = (attribute: string, dn: string): Filter =>
  new ExtensibleFilter({ matchType: attribute, rule: MATCHING_RULE_IN_CHAIN, value: dn });

/** The filters that select users and groups. */
export interface Kinds {
  readonly user: Filter;
  readonly group: Filter;
}

function kind(objectClass: string, idAttribute: string, nameAttribute: string, own: string | undefined): Filter {
  return all(
    equals('objectClass', objectClass),
    has(idAttribute),
    has(nameAttribute),
    own === undefined ? undefined : FilterParser.parseString(own),
  );
}

/** Throws when a filter in the settings is invalid. */
export const kindsOf = (ldap: LdapSettings): Kinds => ({
  user: kind(ldap.userObjectclass, ldap.userIdAttribute, ldap.userNameAttribute, ldap.userFilter),
  group: kind(ldap.groupObjectclass, ldap.groupIdAttribute, ldap.groupNameAttribute, ldap.groupFilter),
});

/** Finds an entry by its id. Active Directory stores GUIDs as bytes; their ids are text here. */
export function idEquals(attribute: string, id: string): Filter {
  const isGuid = attribute.toLowerCase() === 'objectguid' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  return equals(attribute, isGuid ? guidBytes(id) : id);
}

/** A GUID begins with three little-endian numbers. */
function guidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}

export function guidText(value: Buffer): string {
  const bytes = Buffer.from(value);
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
