// Asks the service before anything is changed whether the caller may make every change.
import type { Client } from './client.ts';
import { labelOf } from './labels.ts';
import type { Action, Change, Key, Kind } from './model.ts';
import { pathId, type State } from './state.ts';

/** Only administrators may. Whoever may do this may do everything. */
const ADMINISTRATORS_RULE = 'identity:create_region';

const WORDS: Readonly<Record<Action, string>> = { create: 'create', update: 'update', delete: 'delete' };
const NOUNS: Partial<Record<Kind, string>> = {
  domain: 'identity:*_domain',
  region: 'identity:*_region',
  role: 'identity:*_role',
  implied_role: 'identity:*_implied_role',
  organization: 'identity:*_project',
  group: 'identity:*_group',
  service: 'identity:*_service',
  endpoint: 'identity:*_endpoint',
  registered_limit: 'identity:*_registered_limit',
  application: '*_consumer',
  permission: '*_permission',
  application_role: '*_role',
  mapping: 'identity:*_mapping',
  identity_provider: 'identity:*_identity_provider',
  protocol: 'identity:*_protocol',
};

function ruleOf({ kind, action, key }: Change): string {
  const isNew = action === 'create';
  if (kind === 'group_grant' || kind === 'user_grant')
    return `identity:${isNew ? 'create' : 'revoke'}_${key[0] === null ? 'system_' : ''}grant`;
  if (kind === 'role_permission') return isNew ? 'add_permission_to_role' : 'remove_permission_from_role';
  if (kind === 'organization_assignment') return isNew ? 'add_role_to_organization' : 'remove_role_from_organization';
  if (kind === 'user_assignment') return isNew ? 'add_role_to_user' : 'remove_role_from_user';
  if (kind === 'registered_limit' && isNew) return 'identity:create_registered_limits';
  if (kind === 'openid' || kind === 'openid4vp') return 'identity:update_identity_provider';
  if (kind === 'scim_connection') return 'identity:manage_scim_connections';
  return NOUNS[kind]!.replace('*', WORDS[action]);
}

/** What the change is about, by the names of path parameters. Undefined if it does not exist yet. */
function subjectOf(state: State, { kind, action, key, found }: Change): Record<string, string | undefined> {
  const id = (of: Kind | 'user', its: Key): string | undefined => state.idOf(of, its);
  switch (kind) {
    case 'organization':
      return action === 'create' ? { domain_id: id('domain', [key[0]!]) } : { project_id: found!.id };
    case 'group':
      return action === 'create' ? { domain_id: id('domain', [key[0]!]) } : { group_id: found!.id };
    case 'application':
      return action === 'create' ? {} : { application_id: found!.id };
    case 'permission':
    case 'application_role':
      return {
        application_id: id('application', [key[0]!]),
        ...(action === 'create' ? {} : { [kind === 'permission' ? 'permission_id' : 'role_id']: found!.id }),
      };
    case 'role_permission':
      return { role_id: id('application_role', key.slice(0, 2)), permission_id: id('permission', key.slice(2, 4)) };
    case 'group_grant':
    case 'user_grant':
      return {
        ...(kind === 'group_grant' ? { group_id: id('group', key.slice(3, 5)) } : { user_id: id('user', key.slice(3, 5)) }),
        ...(key[1] === 'organization' ? { project_id: id('organization', [key[0]!, key[2]!]) } : {}),
        ...(key[1] === 'domain' ? { domain_id: id('domain', [key[0]!]) } : {}),
        role_id: id('role', key.slice(5, 7)),
      };
    case 'organization_assignment':
    case 'user_assignment':
      return {
        application_id: id('application', [key[0]!]),
        role_id: id('application_role', key.slice(1, 3)),
        project_id: id('organization', key.slice(3, 5)),
        ...(kind === 'user_assignment' ? { user_id: id('user', key.slice(5, 7)) } : {}),
      };
    default:
      return {};
  }
}

async function allowed(client: Client, query: string): Promise<ReadonlySet<string>> {
  const { body } = await client.get(`/v3/auth/OS-ACCESS/allowed${query}`);
  return new Set(body.allowed as string[]);
}

/** The changes that the caller may not make. About things that do not exist yet nobody can be asked; the service decides when they do. */
export async function refusedChanges(state: State, changes: readonly Change[]): Promise<string[]> {
  const { client } = state;
  if (changes.length === 0 || (await allowed(client, '')).has(ADMINISTRATORS_RULE)) return [];
  const answers = new Map<string, Promise<ReadonlySet<string>>>();
  const refused = await client.each(changes, async (change) => {
    const subject = Object.entries(subjectOf(state, change));
    if (subject.some(([, id]) => id === undefined)) return undefined;
    const query = subject.map(([name, id], index) => `${index === 0 ? '?' : '&'}${name}=${pathId(id!)}`).join('');
    const answer = answers.get(query) ?? allowed(client, query);
    answers.set(query, answer);
    return (await answer).has(ruleOf(change)) ? undefined : `you may not ${change.action} ${labelOf(change)} (${ruleOf(change)})`;
  });
  return refused.filter((one) => one !== undefined);
}
