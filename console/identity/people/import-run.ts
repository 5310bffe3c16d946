// Invites the people of a list, or makes their accounts. Whoever is there already is left as they are, so that a list can be tried again.
import { ApiError } from '../../shared/http.ts';
import { newPassword } from '../../shared/new-password.ts';
import { part } from '../../shared/router.ts';
import { DONE, type Outcome } from '../../shared/run-each.ts';
import type { User } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import type { Line } from './import-list.ts';

export interface ImportOptions {
  readonly how: 'invite' | 'account';
  readonly domainId: string | undefined;
  /** Ids by names. */
  readonly groups: ReadonlyMap<string, string>;
  /** With the password of a new account, which is shown once. Also where no answer says whether the account was made. */
  made(line: Line, password: string): void;
  /** By `accountKey`, the passwords of accounts that were not there, and were asked for without an answer. */
  readonly unsure: Map<string, string>;
}

const INVITATIONS = '/v3/OS-REGISTRATION/invitations';
const skipped = (text: string): Outcome => ({ state: 'skipped', text });
/** Names are of a domain. */
export const accountKey = ({ name }: Line, domainId: string | undefined): string => JSON.stringify([domainId ?? null, name]);
const same = (one: string | null | undefined, other: string): boolean => (one ?? '').toLowerCase() === other.toLowerCase();

/** The ids of groups by name, as far as there are any. */
export async function findGroupIds(names: readonly string[], domainId: string | undefined): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of new Set(names)) {
    const { groups } = await api.get<{ groups: readonly { id: string; name: string }[] }>('/v3/groups', {
      query: { name, domain_id: domainId, limit: 2 },
    });
    // Of the same name in two domains: nobody said which.
    if (groups.length === 1) found.set(name, groups[0]!.id);
  }
  return found;
}

async function hasAccount({ email }: Line, domain_id: string | undefined): Promise<boolean> {
  const { users } = await api.get<{ users: readonly User[] }>('/v3/users', { query: { search: email, domain_id, limit: 50 } });
  return users.some((one) => same(one.email, email));
}

async function invite(line: Line, { domainId: domain_id, groups }: ImportOptions): Promise<Outcome> {
  const { people } = words;
  const { email, name } = line;
  const query = { email, status: 'pending', domain_id, limit: 1 };
  const { invitations } = await api.get<{ invitations: readonly unknown[] }>(INVITATIONS, { query });
  if (invitations.length > 0) return skipped(people.invitedAlready);
  if (await hasAccount(line, domain_id)) return skipped(people.thereAlready);
  const ids = line.groups.map((one) => groups.get(one)!);
  const invitation = {
    email,
    domain_id,
    unless_pending: true,
    ...(name === email ? {} : { name }),
    ...(ids.length > 0 ? { groups: ids } : {}),
  };
  try {
    await api.post(INVITATIONS, { invitation });
  } catch (error) {
    // Somebody else invites them at the same time.
    if (error instanceof ApiError && error.status === 409) return skipped(people.invitedAlready);
    throw error;
  }
  return DONE;
}

async function namesakesOf({ name }: Line, domain_id: string | undefined): Promise<readonly User[]> {
  return (await api.get<{ users: readonly User[] }>('/v3/users', { query: { name, domain_id, limit: 2 } })).users;
}

/** The account that has the name, if it is of the same person. */
async function accountOf(line: Line, domainId: string | undefined): Promise<User | undefined> {
  const users = await namesakesOf(line, domainId);
  return users.length === 1 && same(users[0]!.email, line.email) ? users[0] : undefined;
}

async function makeAccount(line: Line, { domainId: domain_id, groups, made, unsure }: ImportOptions): Promise<Outcome> {
  const { name, email, given, family } = line;
  const key = accountKey(line, domain_id);
  const password = unsure.get(key) ?? newPassword();
  const wasThere = !unsure.has(key) && (await namesakesOf(line, domain_id)).length > 0;
  const names = { ...(given === '' ? {} : { given_name: given }), ...(family === '' ? {} : { family_name: family }) };
  const user = { name, password, domain_id, ...names, ...(email === '' ? {} : { email }) };
  let id: string | undefined;
  let isNew = true;
  try {
    ({ id } = (await api.post<{ user: User }>('/v3/users', { user })).user);
    made(line, password);
    unsure.delete(key);
  } catch (error) {
    if (!wasThere && (!(error instanceof ApiError) || error.status >= 500)) {
      made(line, password);
      unsure.set(key, password);
    }
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    id = (await accountOf(line, domain_id))?.id;
    // Somebody else has the name.
    if (id === undefined) throw error;
    isNew = unsure.delete(key);
  }
  if (isNew) await api.post(`/v3/users/${part(id)}/OS-PASSWORD/expire`);
  for (const group of line.groups) await api.put(`/v3/groups/${part(groups.get(group)!)}/users/${part(id)}`);
  return isNew ? DONE : skipped(words.people.thereAlready);
}

export const importLine = (line: Line, options: ImportOptions): Promise<Outcome> =>
  options.how === 'invite' ? invite(line, options) : makeAccount(line, options);
