// The names of what events mention by id, as far as the caller may see the things themselves.
import { type Action, type Caller, isAllowed } from '../../access/rules/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { EventJson } from './audit-events.schema.ts';
import { isNamedKind, type NamedKind, type NamedRow, readNames } from './names.store.ts';

/** By kind and id. */
export type EventNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The rule that shows a thing. What has none is a part of an application, and shown to who manages it. */
const RULES: Readonly<Record<NamedKind, Action | undefined>> = {
  user: 'identity:get_user',
  group: 'identity:get_group',
  project: 'identity:get_project',
  domain: 'identity:get_domain',
  role: 'identity:get_role',
  invitation: 'identity:get_invitation',
  application_credential: 'identity:get_application_credential',
  scim_connection: 'identity:manage_scim_connections',
  registration_token: 'identity:manage_registration_tokens',
  api: 'identity:get_api',
  consumer: undefined,
  app_role: undefined,
  permission: undefined,
};

/** What details of events name. */
const IN_DETAIL: Readonly<Record<string, NamedKind>> = {
  user_id: 'user',
  user_ids: 'user',
  trustee_user_id: 'user',
  inviter_id: 'user',
  group_id: 'group',
  project_id: 'project',
  organization_id: 'project',
  domain_id: 'domain',
  implied_role_id: 'role',
  permission_id: 'permission',
  consumer_id: 'consumer',
  application_id: 'consumer',
};

/** Events about many at once name them all; a sentence names the first. */
const OF_ONE_FIELD = 5;

function* mentionedIn(event: EventJson): Generator<readonly [kind: string, id: unknown]> {
  const { actor_id, user_id, domain_id, application_id, target_type, target_id, detail } = event;
  yield ['user', actor_id];
  yield ['user', user_id];
  yield ['domain', domain_id];
  yield ['consumer', application_id];
  yield [target_type === 'credential_target' ? 'consumer' : target_type, target_id];
  if (typeof detail.target === 'string') yield [detail.target, detail.target_id];
  for (const [field, kind] of Object.entries(IN_DETAIL))
    for (const id of [detail[field]].flat().slice(0, OF_ONE_FIELD)) yield [kind, id];
}

export async function namesIn(
  db: Reader,
  caller: Caller,
  managed: readonly string[] | undefined,
  events: readonly EventJson[],
): Promise<EventNames> {
  const ids = new Map<NamedKind, Set<string>>();
  for (const event of events)
    for (const [kind, id] of mentionedIn(event))
      if (isNamedKind(kind) && typeof id === 'string') ids.set(kind, (ids.get(kind) ?? new Set()).add(id));
  const isShown = (kind: NamedKind, { facts, applicationId, isEverywhere = false }: NamedRow): boolean => {
    const rule = RULES[kind];
    if (isEverywhere) return true;
    if (rule !== undefined) return isAllowed(caller, rule, facts);
    return managed === undefined || (applicationId !== undefined && managed.includes(applicationId));
  };
  const found = await Promise.all(
    [...ids].map(async ([kind, some]) => {
      const rows = (await readNames(db, kind, [...some])).filter((row) => isShown(kind, row));
      return [kind, Object.fromEntries(rows.map(({ id, name }) => [id, name]))] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, names]) => Object.keys(names).length > 0));
}
