// All kinds of things, and what a file has of them.
import type { Fields, Key, Kind } from '../model.ts';
import { pathId, type Shape, textOf } from '../state.ts';
import { api } from './apis.ts';
import * as applications from './applications.ts';
import * as catalog from './catalog.ts';
import * as credentialTypes from './credential-types.ts';
import { domain_settings, domainSettingKeys } from './domain-settings.ts';
import * as domains from './domains.ts';
import { readFields } from './fields.ts';
import * as grants from './grants.ts';
import type { KindDefinition, List, Lists } from './kind.ts';
import { mail_text } from './mail-texts.ts';
import { domain_picture, picture } from './pictures.ts';
import * as providers from './providers.ts';
import * as roles from './roles.ts';
import * as settings from './settings.ts';

export { attributeFields, attributeOf, bodyOf, readField, reservedNames } from './fields.ts';
export type { Entry, KindDefinition, List, Lists, NameInDomain, Naming, Work } from './kind.ts';
export { settingHint } from './setting-values.ts';
export { OWN_APPLICATIONS } from './shared.ts';
export { domainSettingKeys };

const DEFINITIONS: Readonly<Record<Kind, KindDefinition>> = {
  ...settings,
  picture,
  mail_text,
  ...domains,
  domain_settings,
  domain_picture,
  ...roles,
  ...catalog,
  ...applications,
  ...credentialTypes,
  api,
  ...providers,
  ...grants,
};

export const definitionOf = (kind: Kind): KindDefinition => DEFINITIONS[kind];
export const labelOf = ({ kind, key }: { readonly kind: Kind; readonly key: Key }): string => DEFINITIONS[kind].label(key);
export const envelopeOf = (kind: Kind): string => DEFINITIONS[kind].envelope ?? kind;
export const parentOf = (thing: { readonly kind: Kind; readonly key: Key; readonly fields: Fields }): Key | undefined =>
  DEFINITIONS[thing.kind].parentOf?.(thing);

export const shapeOf: Shape = (kind, body, state) => ({
  url: `${DEFINITIONS[kind].collection}/${pathId(textOf(body, 'id'))}`,
  fields: readFields(DEFINITIONS[kind], body, state),
});

/** The lists of a file. */
export const FILE_LISTS: Lists = {
  settings: { kind: 'settings', isOne: true },
  pictures: { kind: 'picture', about: 'The logo of the service, and its icon (favicon).' },
  mail_texts: { kind: 'mail_text', about: 'Texts of mails instead of those of the program.' },
  domains: { kind: 'domain' },
  roles: { kind: 'role', above: [null], about: 'Base roles of the whole service.' },
  catalog: { lists: { regions: { kind: 'region' }, services: { kind: 'service' } } },
  applications: { kind: 'application' },
  apis: { kind: 'api', about: 'What applications get access tokens for, with scopes of their own.' },
  mappings: { kind: 'mapping' },
  identity_providers: { kind: 'identity_provider' },
  grants: {
    lists: { groups: { kind: 'group_grant' }, users: { kind: 'user_grant' } },
    about: 'Base roles of groups and users; each on one of organization, domain or system.',
  },
  registered_limits: { kind: 'registered_limit' },
};

/** All of them, with the way that leads to each. */
export const eachList = (lists: Lists): { readonly path: readonly string[]; readonly list: List }[] =>
  Object.entries(lists).flatMap(([name, one]) =>
    'kind' in one
      ? [{ path: [name], list: one }]
      : Object.entries(one.lists).map(([inner, list]) => ({ path: [name, inner], list })),
  );
