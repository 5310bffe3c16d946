// Application credentials, as Keystone has them. Users pass on roles of the token they have, so a program cannot pass on more than it got.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId, newSecret } from '../../../platform/ids.ts';
import { tagOf } from '../../access/context/index.ts';
import { actorAsVerified, type Caller, type FreshLogin, type IdentityTarget, isDelegated } from '../../access/rules/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { AccessRuleRow, ApplicationCredentialRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  type Deps,
  failOnBrokenReference,
  failOnDuplicateName,
  microsecondsIn,
  readExpiry,
  single,
} from '../../ground/resource/index.ts';
import type { CreateApplicationCredential } from './application-credentials.schema.ts';
import {
  type ApplicationCredential,
  accessRulesOf,
  applicationCredentialsOf,
  countApplicationCredentials,
  deleteAccessRule,
  deleteApplicationCredential,
  deleteApplicationCredentialsOf,
  ensureAccessRule,
  findAccessRule,
  findApplicationCredential,
  insertApplicationCredential,
  isAccessRuleUsed,
  lockAccessRule,
} from './application-credentials.store.ts';

type NewCredential = Static<typeof CreateApplicationCredential>['application_credential'];
type NewRule = NonNullable<NewCredential['access_rules']>[number];

const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });

/** When it ends. A program cannot pass on more time than it has, which is counted in whole seconds. */
function endOf(asked: string | null | undefined, now: number, limit: number | null) {
  const end = readExpiry(asked, now);
  if (end === null || (limit !== null && end >= limit)) return { expires_at: limit, expires_micros: 0 };
  return { expires_at: end, expires_micros: microsecondsIn(asked ?? '') };
}

/** The roles of the caller's token: all, or those that were named. */
function rolesToPassOn({ authContext }: Caller, named: NewCredential['roles']): string[] {
  if (!named || named.length === 0) return authContext.roles.map(({ id }) => id);
  const ids = named.map(({ id, name }) => {
    if ((id === undefined) === (name === undefined)) refuse('roles', 'each needs an id or a name');
    return authContext.roles.find((role) => (id === undefined ? role.name === name : role.id === id))?.id;
  });
  return [...new Set(ids.map((id) => id ?? fail('application_credential.unassigned_role')))];
}

/** All of a user, or one of them; returns how many. When an account is disabled, too: enabling it again must not bring its programs back. */
export async function endApplicationCredentials(
  { tx, audit, invalidate }: Change,
  userId: string,
  only?: string,
): Promise<number> {
  const ended = await deleteApplicationCredentialsOf(tx, userId, only);
  for (const id of ended) {
    invalidate(tagOf.delegation({ kind: 'application_credential', id }));
    audit('application_credential.deleted', { kind: 'application_credential', id }, { user_id: userId });
  }
  return ended.length;
}

export function createApplicationCredentials(
  deps: Pick<Deps, 'db' | 'clock' | 'change' | 'config'> & {
    readonly users: Pick<Users, 'find'>;
    readonly passwords: Pick<Passwords, 'hash' | 'matches'>;
    readonly freshLogin: FreshLogin;
  },
) {
  const { db, clock, change, config, users, passwords, freshLogin } = deps;

  /** Whoever may see those of the user in the address learns whether this is one of them. */
  const target = async (userId: string, id: string): Promise<IdentityTarget<ApplicationCredential>> => {
    const found = await findApplicationCredential(db.read, id);
    const get = () => (found?.row.user_id === userId ? found : fail('application_credential.not_found', { id }));
    return { facts: { userId, ownerId: found?.row.user_id }, get };
  };

  const ruleTarget = async (userId: string, id: string): Promise<IdentityTarget<AccessRuleRow>> => {
    const found = await findAccessRule(db.read, id);
    return { facts: { userId }, get: () => (found?.user_id === userId ? found : fail('access_rule.not_found', { id })) };
  };

  /** Lists of users who do not exist are empty for those who may see everybody's. */
  const listTarget = (userId: string): IdentityTarget<string> => ({ facts: { userId }, get: () => userId });

  /** A rule of the user by its id, or one that is made if there is none like it. */
  async function ruleIdOf(tx: Tx, userId: string, { id, service, path, method }: NewRule): Promise<string> {
    if (id !== undefined) {
      const rule = await findAccessRule(tx, id);
      if (rule?.user_id === userId) return id;
    }
    if (service === undefined || path === undefined || method === undefined)
      return refuse('access_rules', 'each needs the id of a rule, or service, path and method');
    return ensureAccessRule(tx, { id: newId(), user_id: userId, service, path, method });
  }

  async function create(caller: Caller, userId: string, body: NewCredential) {
    const { project, delegation } = caller.authContext;
    if (!project) return fail('application_credential.needs_project');
    if (delegation?.accessRules) return fail('application_credential.limited');
    // A program that may create others cannot log in again as a person would.
    if (!isDelegated(caller)) await freshLogin.require(caller, userId);
    const roleIds = rolesToPassOn(caller, body.roles);
    const now = seconds(clock);
    const secret = body.secret || newSecret();
    const row: ApplicationCredentialRow = {
      id: newId(),
      user_id: userId,
      project_id: project.id,
      name: body.name,
      description: body.description ?? null,
      secret_hash: await passwords.hash(secret, { key: userId }),
      unrestricted: body.unrestricted === true ? 1 : 0,
      ...endOf(body.expires_at, now, delegation?.expiresAt ?? null),
      created_at: now,
    };
    const actor = isDelegated(caller) ? actorAsVerified(caller, userId) : freshLogin.actorFor(caller, userId);
    await change(actor, async ({ tx, audit }) => {
      if ((await countApplicationCredentials(tx, userId)) >= config.applicationCredentialLimit)
        fail('application_credential.limit', { limit: config.applicationCredentialLimit });
      const ruleIds = new Set<string>();
      for (const rule of body.access_rules ?? []) ruleIds.add(await ruleIdOf(tx, userId, rule));
      await failOnBrokenReference(
        () => fail('application_credential.unassigned_role'),
        () =>
          failOnDuplicateName('application credential', body.name, () =>
            insertApplicationCredential(tx, row, { roleIds, ruleIds: [...ruleIds] }),
          ),
      );
      audit(
        'application_credential.created',
        { kind: 'application_credential', id: row.id },
        { user_id: userId, project_id: project.id },
      );
    });
    return {
      created: (await findApplicationCredential(db.read, row.id)) ?? fail('application_credential.not_found', { id: row.id }),
      secret,
    };
  }

  return {
    target,
    ruleTarget,
    listTarget,
    list: (userId: string, query: Query) => applicationCredentialsOf(db.read, userId, single(query, 'name')),
    create,

    async remove(caller: Caller, { row }: ApplicationCredential): Promise<void> {
      await change(actorAsVerified(caller, row.user_id), async ({ tx, audit, invalidate }) => {
        if (!(await deleteApplicationCredential(tx, row.id))) fail('application_credential.not_found', { id: row.id });
        invalidate(tagOf.delegation({ kind: 'application_credential', id: row.id }));
        const { user_id, project_id } = row;
        audit('application_credential.deleted', { kind: 'application_credential', id: row.id }, { user_id, project_id });
      });
    },

    async listRules(userId: string, query: Query): Promise<AccessRuleRow[]> {
      const named = (['service', 'path', 'method'] as const).map((field) => [field, single(query, field)] as const);
      return (await accessRulesOf(db.read, userId)).filter((rule) =>
        named.every(([field, value]) => value === undefined || rule[field] === value),
      );
    },

    async removeRule(caller: Caller, rule: AccessRuleRow): Promise<void> {
      await change(actorAsVerified(caller, rule.user_id), async ({ tx, audit }) => {
        // Locked, so that no credential can name it meanwhile: it would be without rules, and so without limits.
        if (!(await lockAccessRule(db, tx, rule.id))) fail('access_rule.not_found', { id: rule.id });
        if (await isAccessRuleUsed(tx, rule.id)) fail('access_rule.in_use');
        await deleteAccessRule(tx, rule.id);
        audit('access_rule.deleted', { kind: 'access_rule', id: rule.id }, { user_id: rule.user_id });
      });
    },

    /**
     * The user and the credential, if the secret is right. Takes the same time whatever is wrong. `find`: the credential by its id, or by the
     * user and its name.
     */
    async logIn(
      find: { readonly id: string } | { readonly userId: string; readonly name: string },
      secret: string,
      attempt: LoginAttempt,
    ) {
      const found =
        'id' in find
          ? await findApplicationCredential(db.read, find.id)
          : (await applicationCredentialsOf(db.read, find.userId, find.name))[0];
      const countedAs = `application credential ${found?.row.id ?? ('id' in find ? find.id : `${find.userId} ${find.name}`)}`;
      const by = { ...attempt, userId: null };
      const isRight = await passwords.matches(secret, countedAs, by, async () => found?.row.secret_hash);
      const user = found && (await users.find(found.row.user_id));
      return isRight && found && user ? { user, id: found.row.id } : undefined;
    },
  };
}

export type ApplicationCredentials = ReturnType<typeof createApplicationCredentials>;
