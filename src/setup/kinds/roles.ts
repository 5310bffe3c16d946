// Base roles of the service and of domains, and which role implies which.
import { type Body, Refusal } from '../client.ts';
import type { Key } from '../model.ts';
import { pathId, type State, textOf } from '../state.ts';
import { type KindDefinition, type NameInDomain, ruleOf } from './kind.ts';
import {
  BUILT_IN,
  immutable,
  keepImmutable,
  Name255,
  nullableText,
  ofDomain,
  quote,
  type RoleRef,
  RoleReference,
  roleKey,
  roleReference,
} from './shared.ts';

/** A new service has these roles, and the first four are immutable. The policy, or old clients, depend on them. */
const IMMUTABLE_ROLES = ['admin', 'manager', 'member', 'reader'];
const BUILT_IN_ROLES = [...IMMUTABLE_ROLES, 'owner', 'basic', 'trial', 'community', 'service'];
const isBuiltIn = ([domain, name]: Key): boolean => domain === null && BUILT_IN_ROLES.includes(String(name));
/** What the caller is allowed may depend on it. */
const YOURS = { keep: 'your token has it' };

/** Managers of a domain may not see its roles. Where a file names one, the plan says that it cannot be found. */
async function listRolesOf({ client }: State, domainId: string): Promise<Body[]> {
  try {
    return await client.list(`/v3/roles?domain_id=${pathId(domainId)}`, 'roles');
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return [];
    throw error;
  }
}

export const role: KindDefinition = {
  label: ([domain, name]) => `role ${quote(name)}${ofDomain(domain)}`,
  required: { name: Name255 },
  fields: { description: nullableText, immutable },
  reserved: ['domain_id', 'options'],
  lists: { implies: { kind: 'implied_role', about: 'Whoever has this role has these, too.' } },
  keyOf: ({ name }: NameInDomain, [domain]) => [domain!, name],
  entryOf: ([, name]) => ({ name }),
  exported({ immutable: is, implies, ...entry }, { key: [domain, name] }) {
    const isShown = is === true || (domain === null && IMMUTABLE_ROLES.includes(String(name)));
    return { ...entry, ...(isShown ? { immutable: is } : {}), ...(implies ? { implies } : {}) };
  },
  collection: '/v3/roles',
  async read(state) {
    const { me } = state.client;
    const add = (domain: string | null, bodies: readonly Body[]): void => {
      for (const body of bodies) {
        const key = [domain, textOf(body, 'name')];
        const isOwn = me.roleIds.has(textOf(body, 'id'));
        state.add('role', key, body, isBuiltIn(key) ? BUILT_IN : isOwn ? YOURS : keepImmutable(body));
      }
    };
    add(null, await state.client.list('/v3/roles', 'roles'));
    await state.eachDomain(async ({ id, name }) => add(name, await listRolesOf(state, id)));
  },
  body: ([domain, name], ids) => ({ name, ...(domain === null ? {} : { domain_id: ids('domain', [domain!]) }) }),
  rule: ruleOf('identity:*_role'),
};

const impliedPath = (prior: string, implied: string): string => `/v3/roles/${pathId(prior)}/implies/${pathId(implied)}`;

export const implied_role: KindDefinition = {
  label: ([domain, name, impliedDomain, implied]) =>
    `role ${quote(name)}${ofDomain(domain)} implies ${quote(implied)}${ofDomain(impliedDomain)}`,
  schema: RoleReference,
  keyOf(implied: RoleRef, above, { refer }) {
    refer('role', roleKey(implied));
    return [...above, ...roleKey(implied)];
  },
  entryOf: (key) => roleReference(key.slice(2)),
  needs: ['role'],
  async read(state) {
    const { roleIds } = state.client.me;
    const { body } = await state.client.get('/v3/role_inferences');
    for (const { prior_role: prior, implies } of body.role_inferences as {
      prior_role: { id: string };
      implies: { id: string }[];
    }[])
      for (const implied of implies) {
        const [from, to] = [state.keyOf('role', prior.id), state.keyOf('role', implied.id)];
        // Of a domain that is not read.
        if (!from || !to) continue;
        const isOwn = roleIds.has(prior.id) && roleIds.has(implied.id);
        const keep = isBuiltIn(from) && isBuiltIn(to) ? BUILT_IN : isOwn ? YOURS : {};
        state.addLink('implied_role', [...from, ...to], impliedPath(prior.id, implied.id), keep);
      }
  },
  address: (key, ids) => impliedPath(ids('role', key.slice(0, 2)), ids('role', key.slice(2, 4))),
  rule: ruleOf('identity:*_implied_role'),
};
