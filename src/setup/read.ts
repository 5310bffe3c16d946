// Reads the state of a service.
import type { Client } from './client.ts';
import { definitionOf, shapeOf } from './kinds/index.ts';
import { KINDS, type Kind } from './model.ts';
import { pathId, type ReadScope, State, textOf } from './state.ts';
import type { WantedSetup } from './wanted.ts';

/** What has to be read for a file. Everything of a kind only if things of it may be deleted. */
export function needOf({ items, scopes, domains }: WantedSetup, prune: boolean): ReadScope {
  const kinds = new Set([...items, ...scopes].flatMap(({ kind }) => [kind, ...(definitionOf(kind).needs ?? [])]));
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

const OF_USERS: readonly Kind[] = ['user_grant', 'user_assignment'];

/** Everything. `users`: also what is assigned to single users. */
export const everything = (users: boolean): ReadScope => ({
  kinds: new Set(KINDS.filter((kind) => users || !OF_USERS.includes(kind))),
  domains: undefined,
  applications: undefined,
  applicationIds: new Set(),
  grantees: undefined,
});

/** Finds the users that a file names. Returns those that do not exist. */
async function findUsers(state: State, users: WantedSetup['users']): Promise<WantedSetup['users']> {
  const { client } = state;
  const found = await client.each(users, async ({ key: [domain, name] }) => {
    const domainId = state.idOf('domain', [domain!]);
    if (domainId === undefined) return false;
    const query = `domain_id=${pathId(domainId)}&name=${encodeURIComponent(String(name))}`;
    const user = (await client.list(`/v3/users?${query}`, 'users')).find((body) => body.name === name);
    if (!user) return false;
    state.setId('user', [domain!, name!], textOf(user, 'id'));
    state.remember('user', textOf(user, 'id'), [domain!, name!]);
    return true;
  });
  return users.filter((_, index) => !found[index]);
}

/** Returns also the users of the file that do not exist. */
export async function readState(client: Client, need: ReadScope, users: WantedSetup['users'] = []) {
  const state = new State(client, need, shapeOf);
  await definitionOf('domain').read(state);
  const missing = await findUsers(state, users);
  for (const kind of KINDS) if (kind !== 'domain' && need.kinds.has(kind)) await definitionOf(kind).read(state);
  return { state, missing };
}
