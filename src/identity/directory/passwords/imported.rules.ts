// Passwords that come as hashes of other systems. Each is there until the first login replaces it by ours; until then it is counted by its form,
// so that a login of nobody can take as long (stand-in.ts).
import { newId, newSecret } from '../../../platform/ids.ts';
import type { Tx } from '../../ground/database/index.ts';
import { bit } from '../../ground/resource/index.ts';
import { isOurs } from './argon2.ts';
import { type HashProblem, importedHash } from './hash-forms/index.ts';
import { countForms, deletePasswords, ensureStandInKey, formOfUser, insertPasswords } from './passwords.store.ts';

/** As it was read (`readImported`). Times in seconds. */
export interface ImportedPassword {
  readonly hash: string;
  /** Undefined: it is as ours are. Empty: comparing with it takes no time. */
  readonly form: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly isSelfService: boolean;
}

/** The oldest first. The last one is in force. */
export interface PasswordsOfUser {
  readonly userId: string;
  readonly domainId: string;
  readonly passwords: readonly ImportedPassword[];
}

export interface PasswordInSource {
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt?: number | null | undefined;
  readonly isSelfService?: boolean | undefined;
}

const PROBLEMS: Readonly<Record<HashProblem, string>> = {
  unknown: 'it is no hash of a form that is known here',
  damaged: 'its hash is damaged',
  costly: 'its hash would take too long to compare with',
};

/**
 * The history goes with the password in force: without that one, a former one would be. Of the history, what cannot be read is left out.
 */
export function readImported(passwords: readonly PasswordInSource[]): {
  readonly passwords: readonly ImportedPassword[];
  readonly problem: string | undefined;
} {
  const read: ImportedPassword[] = [];
  for (const [at, { hash: text, createdAt, expiresAt = null, isSelfService = false }] of passwords.entries()) {
    const found = importedHash(text);
    if ('problem' in found) {
      if (at === passwords.length - 1) return { passwords: [], problem: PROBLEMS[found.problem] };
      continue;
    }
    const { hash, standIn = '' } = found;
    read.push({ hash, form: isOurs(hash) ? undefined : standIn, createdAt, expiresAt, isSelfService });
  }
  return { passwords: read, problem: undefined };
}

/** Of a secret that is no password, such as that of an application credential. Undefined if it cannot be compared with here. */
export function importedSecret(text: string): string | undefined {
  const found = importedHash(text);
  return 'problem' in found ? undefined : found.hash;
}

const rowsOf = ({ userId, passwords }: PasswordsOfUser) =>
  passwords.map(({ hash, form, createdAt, expiresAt, isSelfService }, at) => ({
    id: newId(),
    user_id: userId,
    hash,
    created_at: createdAt,
    expires_at: expiresAt,
    serial: at + 1,
    self_service: bit(isSelfService),
    imported_form: form ?? null,
  }));

export async function storeImported(tx: Tx, people: readonly PasswordsOfUser[]): Promise<void> {
  await insertPasswords(tx, people.flatMap(rowsOf));
  const counts = new Map<string, { domainId: string; form: string; count: number }>();
  for (const { domainId, passwords } of people) {
    const form = passwords.at(-1)?.form;
    if (form === undefined) continue;
    const key = `${domainId} ${form}`;
    counts.set(key, { domainId, form, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  if (counts.size > 0) await ensureStandInKey(tx, newSecret());
  // Two that count the same forms at the same time wait for each other in one direction only.
  for (const [, one] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) await countForms(tx, one);
}

/** The one in force is not counted any more. Called before it is replaced or removed, or its user is. */
export async function uncountForm(tx: Tx, userId: string): Promise<void> {
  const counted = await formOfUser(tx, userId);
  if (counted) await countForms(tx, { ...counted, count: -1 });
}

export async function removePasswords(tx: Tx, userId: string): Promise<void> {
  await uncountForm(tx, userId);
  await deletePasswords(tx, userId, Number.MAX_SAFE_INTEGER);
}

export async function replaceImported(tx: Tx, person: PasswordsOfUser): Promise<void> {
  await removePasswords(tx, person.userId);
  await storeImported(tx, [person]);
}
