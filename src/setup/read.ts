// Reads the state of a service.
import type { Client } from './client.ts';
import { KINDS, type Kind } from './model.ts';
import { readApplications } from './read-applications.ts';
import { readBase } from './read-base.ts';
import { readCatalog, readRegisteredLimits } from './read-catalog.ts';
import { findUsers, readGrants } from './read-grants.ts';
import { readConnections, readProviders } from './read-providers.ts';
import { type Need, State } from './state.ts';
import type { WantedSetup } from './wanted.ts';

/** Kinds that have to be read to compare or write another one. */
const ALSO: Partial<Record<Kind, readonly Kind[]>> = {
  implied_role: ['role'],
  endpoint: ['service', 'region'],
  service: ['region', 'endpoint'],
  region: ['endpoint', 'service'],
  registered_limit: ['service', 'region', 'endpoint'],
  role_permission: ['application_role', 'permission'],
  protocol: ['identity_provider', 'mapping'],
  openid: ['identity_provider'],
  openid4vp: ['identity_provider'],
  group_grant: ['role', 'group', 'organization'],
  user_grant: ['role', 'organization'],
  organization_assignment: ['application_role', 'organization'],
  user_assignment: ['application_role', 'organization'],
};

/** What has to be read for a file. Everything of a kind only if things of it may be deleted. */
export function needOf({ items, scopes, domains }: WantedSetup, prune: boolean): Need {
  const kinds = new Set<Kind>();
  const add = (kind: Kind): void => {
    kinds.add(kind);
    for (const other of ALSO[kind] ?? []) kinds.add(other);
  };
  for (const { kind } of [...items, ...scopes]) add(kind);
  const applications = items.filter(({ kind }) => kind === 'application').map(({ key }) => String(key[0]));
  const grants = items.filter(({ kind }) => kind === 'group_grant' || kind === 'user_grant');
  const grantees = new Map(
    grants.map(({ kind, key }) => {
      const one = { kind: kind === 'group_grant' ? ('group' as const) : ('user' as const), key: key.slice(3, 5) };
      return [JSON.stringify(one), one] as const;
    }),
  );
  return {
    kinds,
    domains,
    applications: new Set(applications),
    applicationIds: new Set(applications.filter((key) => key.startsWith('#')).map((key) => key.slice(1))),
    grantees: prune ? undefined : [...grantees.values()],
  };
}

/** Everything. `users`: also what is assigned to single users. */
export const everything = (users: boolean): Need => ({
  kinds: new Set(KINDS.filter((kind) => users || (kind !== 'user_grant' && kind !== 'user_assignment'))),
  domains: undefined,
  applications: undefined,
  applicationIds: new Set(),
  grantees: undefined,
});

const CATALOG = ['region', 'service', 'endpoint'] as const;

/** Returns also the users of the file that do not exist. */
export async function readState(client: Client, need: Need, users: WantedSetup['users'] = []) {
  const state = new State(client, need);
  const ownGroups = await readBase(state);
  const missing = await findUsers(state, users);
  if (state.needs(...CATALOG)) await readCatalog(state);
  if (state.needs('registered_limit')) await readRegisteredLimits(state);
  if (state.needs('application')) await readApplications(state);
  if (state.needs('mapping', 'identity_provider')) await readProviders(state);
  if (state.needs('scim_connection')) await readConnections(state);
  if (state.needs('group_grant', 'user_grant')) await readGrants(state, ownGroups);
  return { state, missing };
}
