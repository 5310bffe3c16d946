// What things are called in messages.
import type { Key, Kind } from './model.ts';
import { shown } from './text.ts';

const quote = (part: string | boolean | null | undefined): string => shown(String(part));
const of = (domain: string | boolean | null | undefined): string => (domain === null ? '' : ` of domain ${quote(domain)}`);
const application = (key: string | boolean | null | undefined): string =>
  String(key).startsWith('#') ? `application ${shown(String(key).slice(1), false)}` : `application ${quote(key)}`;

function place([domain, kind, name]: Key): string {
  if (kind === 'system') return 'on the system';
  return kind === 'domain' ? `on domain ${quote(domain)}` : `on organization ${quote(name)}${of(domain!)}`;
}

const grant = (who: string, key: Key): string =>
  `role ${quote(key[6])}${of(key[5]!)} of ${who} ${quote(key[4])}${of(key[3]!)} ${place(key)}${key[7] ? ', inherited by what is below' : ''}`;
const role = (key: Key): string => `role ${quote(key[2])}${key[1] === key[0] ? '' : ` of ${application(key[1])}`}`;

const LABELS: Readonly<Record<Kind, (key: Key) => string>> = {
  domain: ([name]) => `domain ${quote(name)}`,
  region: ([id]) => `region ${quote(id)}`,
  role: ([domain, name]) => `role ${quote(name)}${of(domain!)}`,
  implied_role: ([domain, name, impliedDomain, implied]) =>
    `role ${quote(name)}${of(domain!)} implies ${quote(implied)}${of(impliedDomain!)}`,
  organization: ([domain, name]) => `organization ${quote(name)}${of(domain!)}`,
  group: ([domain, name]) => `group ${quote(name)}${of(domain!)}`,
  service: ([type, name]) => `service ${quote(name)} (${shown(String(type), false)})`,
  endpoint: ([type, name, side, region]) =>
    `${shown(String(side), false)} endpoint of service ${quote(name)} (${shown(String(type), false)})${region === null ? '' : ` in ${quote(region)}`}`,
  registered_limit: ([type, name, region, resource]) =>
    `registered limit ${quote(resource)} of service ${quote(name)} (${shown(String(type), false)})${region === null ? '' : ` in ${quote(region)}`}`,
  application: ([key]) => application(key),
  permission: ([key, name]) => `permission ${quote(name)} of ${application(key)}`,
  application_role: ([key, name]) => `role ${quote(name)} of ${application(key)}`,
  role_permission: ([key, name, other, permission]) =>
    `permission ${quote(permission)}${other === key ? '' : ` of ${application(other)}`} in role ${quote(name)} of ${application(key)}`,
  mapping: ([id]) => `mapping ${quote(id)}`,
  identity_provider: ([id]) => `identity provider ${quote(id)}`,
  protocol: ([provider, id]) => `protocol ${quote(id)} of identity provider ${quote(provider)}`,
  openid: ([id]) => `OpenID settings of identity provider ${quote(id)}`,
  openid4vp: ([id]) => `settings for wallets of identity provider ${quote(id)}`,
  scim_connection: ([domain, name]) => `SCIM connection ${quote(name)}${of(domain!)}`,
  group_grant: (key) => grant('group', key),
  user_grant: (key) => grant('user', key),
  organization_assignment: (key) => `${role(key)} in ${application(key[0])} of organization ${quote(key[4])}${of(key[3]!)}`,
  user_assignment: (key) =>
    `${role(key)} in ${application(key[0])} of user ${quote(key[6])}${of(key[5]!)} in organization ${quote(key[4])}${of(key[3]!)}`,
};

export const labelOf = ({ kind, key }: { readonly kind: Kind; readonly key: Key }): string => LABELS[kind](key);
