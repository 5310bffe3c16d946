// Records a credential before it is signed: what it says is what the user has in this transaction, and nothing that it depends on changes
// before the record is visible to those who would have to revoke it.
import { randomInt } from 'node:crypto';
import { takeAdvisoryLock, takeAdvisoryLocks } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { UserPermissionsReader } from '../../applications/app-roles/index.ts';
import { namesOfConsumers } from '../../applications/consumers/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, IssuedCredentialRow, StatusListRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { applicationsOf, type CredentialTypes, credentialTypeTag } from '../types/index.ts';
import { bitstringAddress, listAddress, PURPOSES } from './addresses.ts';
import { countUnexpired, issuingLock, isWithdrawn, oldestOf } from './holders.store.ts';
import {
  closeList,
  findOpenList,
  findSeries,
  type HeldRole,
  hasLists,
  heldRolesOf,
  insertList,
  insertRoles,
  insertTags,
  insertWhereFree,
  organizationsOfRoles,
  waitForReaders,
} from './issued-credentials.store.ts';
import { saidOrganization } from './revocation.store.ts';
import { roundedValidity } from './rounding.ts';
import { changeStates } from './states.rules.ts';
import { isStoredTag, lockOf, selectionOf } from './tags.ts';

/**
 * Credentials of one person. Beyond the first number the oldest are revoked: wallets fetch new ones again and again. Whoever had many more could keep
 * a role by them, because all of them are revoked together with it. The second also counts those that were revoked: their entries are not free yet.
 */
export const MOST_USABLE = 1000;
const MOST_UNEXPIRED = 20_000;

/** So many entries in a row that are taken mean that hardly any is free. */
const ATTEMPTS = 16;

export interface RecordDeps {
  readonly db: Database;
  readonly config: { readonly statusListSize: number };
  readonly userPermissions: Pick<UserPermissionsReader, 'readIn'>;
  readonly credentialTypes: Pick<CredentialTypes, 'findIn' | 'targetNames'>;
  issuer(): string;
}

export interface NewCredentials {
  readonly type: { readonly id: string };
  readonly userId: string;
  readonly format: string;
  /** One credential for each key. */
  readonly keyThumbprints: readonly string[];
  readonly issuanceId: string;
  readonly clientId: string | null;
  /** The same for everything that a wallet fetches by one authorization, also after its token was refreshed. */
  readonly authorizationId: string | null;
  /** In seconds: from when until when the signature can be verified. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface IssuedRecord {
  readonly id: string;
  readonly tokenStatus: { readonly uri: string; readonly idx: number };
  readonly bitstring: readonly {
    readonly id: string;
    readonly type: 'BitstringStatusListEntry';
    readonly statusPurpose: string;
    readonly statusListIndex: string;
    readonly statusListCredential: string;
  }[];
}

export interface IssuanceRecord {
  /** `application`: its name, for people. Programs go by `target`. */
  readonly roles: readonly { readonly target: string; readonly application: string; readonly names: readonly string[] }[];
  /** Names of the organizations in which the roles are, if the type says them. */
  readonly organizations: readonly string[];
  /** The wallet had one before. */
  readonly isRefreshed: boolean;
  /** As it says: rounded, in seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly credentials: readonly IssuedRecord[];
}

/** The first list is made while no change is under way that has found none, and so would not look for credentials. */
async function prepareLists(db: Database, tx: Tx): Promise<void> {
  if (!(await hasLists(tx))) await waitForReaders(db, tx);
}

/** Takes the locks of what the roles depend on. What that is, is known from reading it; so it is read until nothing is new. */
async function readLocked({ db, userPermissions, credentialTypes }: RecordDeps, tx: Tx, userId: string, typeId: string) {
  const locked = new Set<string>();
  const lock = async (tags: readonly string[]): Promise<boolean> => {
    const fresh = tags.filter((tag) => !locked.has(tag));
    await takeAdvisoryLocks(db, tx, fresh.map(lockOf), 'shared');
    for (const tag of fresh) locked.add(tag);
    return fresh.length > 0;
  };
  await lock([credentialTypeTag(typeId)]);
  const type = await credentialTypes.findIn(tx, typeId);
  if (!type?.enabled) return fail('role_credential.type_unavailable', { id: typeId });
  for (;;) {
    const found = [];
    for (const id of applicationsOf(type)) found.push(await userPermissions.readIn(tx, userId, id));
    const permissions = found.filter((one) => one !== undefined);
    const tags = [...new Set(permissions.flatMap((one) => one.tags))];
    if (await lock(tags)) continue;
    const ends = permissions.flatMap(({ validUntil }) => validUntil ?? []);
    return { type, tags, until: Math.min(...ends) };
  }
}

/** Chooses entries that nobody can guess, and which are free. */
async function store(
  { config }: Pick<RecordDeps, 'config'>,
  { tx, now }: Change,
  rows: readonly Omit<IssuedCredentialRow, 'list_id' | 'list_index'>[],
): Promise<IssuedCredentialRow[]> {
  const stored: IssuedCredentialRow[] = [];
  let left = rows;
  for (let list: StatusListRow | undefined, attempt = 0; left.length > 0; attempt++) {
    if (list && attempt >= ATTEMPTS) {
      await closeList(tx, list.id);
      list = undefined;
    }
    if (!list) {
      list = await findOpenList(tx);
      attempt = 0;
    }
    if (!list) {
      list = { id: newId(), size: config.statusListSize, version: 0, is_full: 0, created_at: now };
      await insertList(tx, list);
    }
    const { id: list_id, size } = list;
    // Entries are chosen one by one: the batch may have the same one twice, too.
    const candidates = left.map((row) => ({ ...row, list_id, list_index: randomInt(size) }));
    const ids = await insertWhereFree(tx, candidates);
    stored.push(...candidates.filter(({ id }) => ids.has(id)));
    if (ids.size > 0) attempt = 0;
    left = left.filter(({ id }) => !ids.has(id));
  }
  return stored;
}

function rolesByTarget(
  roles: readonly (HeldRole & { readonly target: string })[],
  applications: ReadonlyMap<string, string>,
): IssuanceRecord['roles'] {
  return [...Map.groupBy(roles, ({ target }) => target)].map(([target, own]) => ({
    target,
    application: applications.get(own[0]!.application_id)!,
    names: [...new Set(own.map(({ name }) => name))],
  }));
}

export const createRecord = (deps: RecordDeps) =>
  async function record(change: Change, what: NewCredentials): Promise<IssuanceRecord> {
    const { db, issuer, credentialTypes } = deps;
    const { tx, now, audit } = change;
    const { userId, format, keyThumbprints, issuanceId, clientId, notAfter } = what;
    if (keyThumbprints.length === 0) throw new Error('a credential without a key');
    await prepareLists(db, tx);
    // Requests of one person are counted one after the other.
    await takeAdvisoryLock(db, tx, issuingLock(userId));
    const unexpired = (await countUnexpired(tx, userId, now)) + keyThumbprints.length;
    if (unexpired > MOST_UNEXPIRED) fail('role_credential.denied', { why: 'there are too many credentials of this person' });
    const { type, tags, until } = await readLocked(deps, tx, userId, what.type.id);
    const { authorizationId } = what;
    // Whose wallet was lost revokes what is in it. It does not get the next one by the same authorization.
    if (authorizationId !== null && (await isWithdrawn(tx, { userId, authorizationId, applicationId: type.applicationId })))
      fail('role_credential.denied', { why: 'an earlier credential of this authorization was revoked or suspended' });
    const held = await heldRolesOf(tx, userId, selectionOf(type), now);
    if (held.length === 0) fail('role_credential.no_role', { id: type.id });
    const organizations = type.claims.includes('organization')
      ? await organizationsOfRoles(tx, userId, selectionOf(type), now)
      : [];
    const applications = applicationsOf(type);
    const targets = await credentialTypes.targetNames(tx, applications);
    const roles = held
      .map((role) => ({ ...role, target: targets.get(role.application_id)! }))
      .sort((a, b) => applications.indexOf(a.application_id) - applications.indexOf(b.application_id));
    const { issuedAt, expiresAt } = roundedValidity(now, Math.min(now + type.validitySeconds, until, notAfter), what.notBefore);
    if (expiresAt <= now) fail('role_credential.denied', { why: 'the certificate of the issuer has expired' });
    const batchId = newId();
    const before = await findSeries(tx, { ...what, typeId: type.id });
    const common = {
      batch_id: batchId,
      issuance_id: issuanceId,
      user_id: userId,
      type_id: type.id,
      application_id: type.applicationId,
      client_id: clientId,
      format,
      state: 'valid' as const,
      reason: null,
      changed_at: now,
      issued_at: now,
      expires_at: expiresAt,
      list_state: 0,
      list_version: 0,
      series_id: before?.series_id ?? batchId,
      first_issued_at: before?.first_issued_at ?? now,
      authorization_id: what.authorizationId,
    };
    const rows = keyThumbprints.map((key_thumbprint) => ({ ...common, id: newId(), key_thumbprint }));
    const ids = rows.map(({ id }) => id);
    const stored = new Map((await store(deps, change, rows)).map((row) => [row.id, row]));
    await insertRoles(tx, batchId, roles);
    await insertTags(tx, batchId, [...tags.filter(isStoredTag), ...organizations.map(saidOrganization)]);
    if (unexpired > MOST_USABLE) await changeStates(change, await oldestOf(tx, userId, MOST_USABLE, now), 'revoked', 'replaced');
    const about = { user_id: userId, application_id: type.applicationId, type_id: type.id, format };
    const detail = before ? { ...about, refreshed: true } : about;
    const credentials = ids.map((id): IssuedRecord => {
      const { list_id, list_index } = stored.get(id)!;
      audit('issued_credential.created', { kind: 'issued_credential', id }, detail);
      return {
        id,
        tokenStatus: { uri: listAddress(issuer(), list_id), idx: list_index },
        bitstring: PURPOSES.map((statusPurpose) => {
          const statusListCredential = bitstringAddress(issuer(), list_id, statusPurpose);
          const statusListIndex = String(list_index);
          const entry = `${statusListCredential}#${statusListIndex}`;
          return { id: entry, type: 'BitstringStatusListEntry', statusPurpose, statusListIndex, statusListCredential };
        }),
      };
    });
    const said = {
      roles: rolesByTarget(roles, await namesOfConsumers(tx, applications)),
      organizations: organizations.map(({ name }) => name),
    };
    return { ...said, isRefreshed: before !== undefined, issuedAt, expiresAt, credentials };
  };
