// Revokes credentials in the transaction of the change that made them untrue. Every change names what it invalidates; a credential depends on the
// same things as the cached roles of its user. It takes the locks that issuing shares (record.rules.ts): a credential is either seen here, or is
// made from what this change leaves.
import type { AuditedEvent } from '../../../platform/audit/index.ts';
import { takeAdvisoryLocks, withLongStatements } from '../../../platform/database/index.ts';
import { ISSUED_FORMATS } from '../../../verifiable/issuing/index.ts';
import type { AfterChange, Change } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { NOUN_NAMES } from '../../ground/noun-names.ts';
import type { CredentialTypes } from '../types/index.ts';
import { hasLists } from './issued-credentials.store.ts';
import { addTagsOf, aliveOf, inOtherFormats, typesOf, untrueOf } from './revocation.store.ts';
import { revokeAll } from './states.rules.ts';
import { concernsMany, invalidationBy, isRelevant, lockOf, selectionOf } from './tags.ts';

/** Each of these is a parameter of a statement. */
const TAGS_AT_ONCE = 500;

/** Changes of these do not change anybody’s roles, although they invalidate what all credentials depend on, or all credentials of an application. */
const WITHOUT_ROLES: ReadonlySet<string> = new Set([...Object.keys(NOUN_NAMES), 'permission', 'issued_credential']);
const HARMLESS: ReadonlySet<string> = new Set([
  'consumer.created',
  'consumer.registered_itself',
  'consumer.changed_itself',
  'consumer.kept',
  'consumer.updated',
  'consumer.secret_rotated',
  'consumer.previous_secret_ended',
  'consumer.logo_changed',
  'consumer.logo_removed',
  'consumer.sign_in_tried',
  'app_role.created',
  'app_role.permission_added',
  'app_role.permission_removed',
  'role.created',
  'role.updated',
  'role.implication_created',
  'role.implication_deleted',
  'domain.created',
]);
/** Updates that name their fields, and fields of theirs that no role depends on. */
const UPDATES: ReadonlySet<string> = new Set(['user.updated', 'project.updated', 'domain.updated']);
const FIELDS: ReadonlySet<unknown> = new Set(['name', 'description', 'email', 'password', 'original_password', 'tags']);

function isHarmless({ action, detail: { fields, granted } }: AuditedEvent): boolean {
  // A base role that nobody has. To look at every credential for it may take long.
  if (action === 'role.deleted') return granted === false;
  if (UPDATES.has(action)) return Array.isArray(fields) && fields.every((field) => FIELDS.has(field));
  return HARMLESS.has(action) || WITHOUT_ROLES.has(action.split('.')[0]!);
}

export interface RevocationDeps {
  readonly db: Database;
  readonly credentialTypes: Pick<CredentialTypes, 'findIn'>;
}

/** Under a name that was given up, others may make a type. */
const isRenamed = (typeId: string, events: readonly AuditedEvent[]): boolean =>
  events.some(({ kind, id, detail }) => kind === 'credential_type' && id === typeId && detail.former_type !== undefined);

async function revokeUntrue(
  { db, credentialTypes }: RevocationDeps,
  change: Change,
  tags: readonly string[],
  events: readonly AuditedEvent[],
): Promise<void> {
  const { tx, now } = change;
  const affected = invalidationBy(tags);
  const types = await typesOf(tx, affected, now);
  if (types.length === 0) return;
  // Two changes may each take one of two reasons for the same role: the second has to see what the first did.
  await takeAdvisoryLocks(
    db,
    tx,
    types.map((id) => `revoking ${lockOf(id)}`),
  );
  for (const id of types) {
    const type = await credentialTypes.findIn(tx, id);
    if (!type?.enabled) {
      await revokeAll(change, aliveOf(affected, id, now), { reason: 'type_ended' });
      continue;
    }
    if (affected.types.includes(id)) {
      const formats = type.formats.filter((format) => !ISSUED_FORMATS[format].saysTypeName || !isRenamed(id, events));
      await revokeAll(change, inOtherFormats(affected, id, formats, now), { reason: 'type_changed' });
    }
    const untrue = untrueOf(affected, id, selectionOf(type), now);
    await revokeAll(change, untrue, { reason: 'role_removed', withoutUser: 'user_unavailable' });
  }
  if (affected.users.length > 0) await addTagsOf(tx, affected.users, now);
}

export const createRevocation = (deps: RevocationDeps): AfterChange =>
  async function revokeAfter(change, allTags, events) {
    const { db } = deps;
    const tags = allTags.filter(isRelevant).sort();
    if (tags.length === 0 || events.every(isHarmless)) return;
    // Before the first credential there is no list, and nothing has to wait.
    if (!(await hasLists(change.tx))) return;
    await takeAdvisoryLocks(db, change.tx, tags.map(lockOf));
    const revoke = async (): Promise<void> => {
      for (let first = 0; first < tags.length; first += TAGS_AT_ONCE)
        await revokeUntrue(deps, change, tags.slice(first, first + TAGS_AT_ONCE), events);
    };
    // Who takes something from very many people waits rather than not being able to.
    await (concernsMany(tags) ? withLongStatements(db, change.tx, revoke) : revoke());
  };
