// People who exist in another system: made with the names and ids that they have there, whatever new ones may be called here.
import { seconds } from '../../../platform/clock.ts';
import type { DirectoryGuard } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { bit, type Deps, extraOf, mergeOptions, parseJson } from '../../ground/resource/index.ts';
import type { ImportedPassword, Passwords } from '../passwords/index.ts';
import type { createClosing } from './closing.rules.ts';
import { exactNameKey, nameKey } from './name-key.ts';
import { type UserNames, wantedName } from './names.rules.ts';
import { mainEmail, type Profile, withMainEmail, withShared } from './profile.ts';
import { insertUserRows, updateUserRow } from './rows.rules.ts';
import { userFields } from './users.schema.ts';
import { keysAmong, lockUser } from './users.store.ts';

/** Each is written by itself: somebody whom an administrator here disabled stays so when the source says something else of them. */
export type AccountPart = 'account' | 'enabled' | 'options';

export interface ImportedPerson {
  readonly id: string;
  readonly domainId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly defaultProjectId: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  /** Attributes of the base API, such as `email`. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of SCIM; what the attributes say comes on top of it. */
  readonly profile?: Profile | undefined;
  readonly externalId?: string | undefined;
  readonly isEmailConfirmed?: boolean | undefined;
  /** In seconds; now if unknown. */
  readonly createdAt?: number | undefined;
  readonly lastActiveAt?: number | undefined;
}

const EMAIL_LENGTH = 320;

/** `stored`: of somebody who is here, whose other attributes stay. */
function attributesOf({ attributes, profile: said }: ImportedPerson, stored: Profile = {}) {
  const { email } = attributes;
  const shared = withShared(said ?? stored, attributes);
  const isAddress = typeof email === 'string' && email !== '' && email.length <= EMAIL_LENGTH;
  const profile = isAddress ? withMainEmail(shared, email) : shared;
  return { extra: extraOf(attributes, userFields), profile };
}

export function createImportedPeople({
  db,
  clock,
  passwords,
  names,
  closing,
  directory,
  onEmailChanged,
  onEnabled,
  onDisabled,
}: Pick<Deps, 'db' | 'clock'> & {
  readonly passwords: Passwords;
  readonly names: UserNames;
  readonly closing: ReturnType<typeof createClosing>;
  readonly directory: DirectoryGuard;
  onEmailChanged(change: Change, userId: string): Promise<void>;
  onEnabled(change: Change, userId: string): Promise<void>;
  onDisabled(change: Change, userId: string): Promise<void>;
}) {
  function rowOf(person: ImportedPerson, key: string, before?: UserRow) {
    const { extra, profile } = attributesOf(person, parseJson(before?.profile ?? '{}'));
    return {
      id: person.id,
      domain_id: person.domainId,
      name: person.name,
      name_key: key,
      enabled: bit(person.enabled),
      default_project_id: person.defaultProjectId,
      options: mergeOptions('{}', person.options),
      extra: JSON.stringify(extra),
      external_id: person.externalId ?? before?.external_id ?? null,
      profile: JSON.stringify(profile),
      confirmed_email: person.isEmailConfirmed ? (mainEmail(profile) ?? null) : null,
    };
  }

  /** Each domain at once. Of several whose names differ by case only, the first has the usual key. */
  async function keysOf(reader: Reader, people: readonly ImportedPerson[]): Promise<Map<string, string>> {
    const keys = new Map<string, string>();
    for (const [domainId, some] of Map.groupBy(people, (one) => one.domainId)) {
      const taken = await keysAmong(
        reader,
        domainId,
        some.map(({ name }) => nameKey(name)),
      );
      for (const { id, name } of some) {
        const usual = nameKey(name);
        keys.set(id, taken.has(usual) ? exactNameKey(name) : usual);
        taken.add(usual);
      }
    }
    return keys;
  }

  return {
    /** By id, why nobody new could have such a name. */
    async nameProblems(reader: Reader, people: readonly ImportedPerson[]): Promise<ReadonlyMap<string, string>> {
      const found = new Map<string, string>();
      for (const [domainId, some] of Map.groupBy(people, (one) => one.domainId)) {
        const wanted = some.map(({ id, name }) => wantedName(id, name));
        for (const [id, fault] of await names.problems(reader, domainId, wanted)) found.set(id, fault.message);
      }
      return found;
    },

    async insert(
      transaction: Change,
      people: readonly ImportedPerson[],
      passwordsOf: (id: string) => readonly ImportedPassword[],
    ): Promise<void> {
      const { tx } = transaction;
      for (const domainId of new Set(people.map((one) => one.domainId))) await directory.forbidNew(domainId, tx);
      const keys = await keysOf(tx, people);
      const rows = people.map((person) => rowOf(person, keys.get(person.id)!));
      // Two that store the same names at the same time wait for each other in one direction only.
      rows.sort((one, other) => (one.name_key < other.name_key ? -1 : 1));
      const now = seconds(clock);
      const times = new Map(people.map(({ id, createdAt = now, lastActiveAt = null }) => [id, { createdAt, lastActiveAt }]));
      await insertUserRows(transaction, clock, rows, {}, (id) => {
        const { createdAt, lastActiveAt } = times.get(id)!;
        return { created_at: createdAt, last_active_at: lastActiveAt };
      });
      await passwords.storeImported(
        transaction,
        people.map(({ id, domainId }) => ({ userId: id, domainId, passwords: passwordsOf(id) })),
      );
    },

    /** Only these parts of the person. False when there is no such person. */
    async update(
      transaction: Change,
      { id, ...person }: ImportedPerson,
      parts: readonly AccountPart[],
      replaced: readonly ImportedPassword[] | undefined,
    ): Promise<boolean> {
      const { tx } = transaction;
      const row = await lockUser(db, tx, id);
      if (!row) return false;
      await directory.forbid('user', id, tx);
      if (parts.length > 0) await writeAccount(transaction, row, { ...person, id, domainId: row.domain_id }, parts);
      if (replaced) {
        await passwords.replaceImported(transaction, { userId: id, domainId: row.domain_id, passwords: replaced });
        await closing.endLogins(transaction, id);
        transaction.audit('user.password_changed', { kind: 'user', id });
      }
      return true;
    },
  };

  async function writeAccount(
    transaction: Change,
    row: UserRow,
    person: ImportedPerson,
    parts: readonly AccountPart[],
  ): Promise<void> {
    const { id } = row;
    const isOfAccount = parts.includes('account');
    const isRenamed = isOfAccount && person.name !== row.name;
    const key = isRenamed ? (await keysOf(transaction.tx, [person])).get(id)! : row.name_key;
    const { id: _, domain_id: __, confirmed_email: ___, enabled, options, ...account } = rowOf(person, key, row);
    const isEmailChanged = isOfAccount && mainEmail(parseJson(account.profile)) !== mainEmail(parseJson(row.profile));
    const values = {
      ...(isOfAccount ? account : {}),
      ...(parts.includes('enabled') ? { enabled } : {}),
      ...(parts.includes('options') ? { options } : {}),
      ...(isEmailChanged ? { confirmed_email: null } : {}),
    };
    const fields = parts.flatMap((part) => (part === 'account' ? ['name', 'default_project_id', 'attributes'] : [part]));
    await updateUserRow(transaction, clock, id, values, { fields });
    if (isEmailChanged) await onEmailChanged(transaction, id);
    if (!parts.includes('enabled') || person.enabled === (row.enabled === 1)) return;
    if (person.enabled) await onEnabled(transaction, id);
    else {
      await onDisabled(transaction, id);
      await closing.endLogins(transaction, id);
    }
  }
}
