// Creates users.

import type { Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { DirectoryGuard } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, type Deps, failOnBrokenReference, failOnDuplicateName, mergeOptions } from '../../ground/resource/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { refuseExemption } from './exemption.ts';
import { nameKey } from './name-key.ts';
import type { UserNames } from './names.rules.ts';
import { mainEmail, type Person } from './profile.ts';
import type { ReferenceChecks } from './references.ts';
import { attributesOf, optionsOf, queueClientOf } from './revision.ts';
import { insertUserRow, type NewValues } from './rows.rules.ts';
import type { CreateUser } from './users.schema.ts';
import { findUser, type UserWithExpiry } from './users.store.ts';

type NewUser = Static<typeof CreateUser>['user'];

/** Attributes of provisioning clients, in addition to the base API. */
export interface ProvisioningDetails {
  /** An id chosen by the client. */
  readonly id?: string | undefined;
  readonly person?: Person | undefined;
  /** Its user has proved to read the mails to their address. */
  readonly emailConfirmed?: boolean;
  /** The first administrator, who is created here even if the users of the domain are in a directory. */
  readonly isFirst?: boolean;
  /** More work in the transaction that creates the user. */
  readonly inTransaction?: (transaction: Change, id: string) => Promise<void>;
}

/** The row of a new user. */
export const newUserValues = (
  body: NewUser,
  domainId: string,
  { id = newId(), person, emailConfirmed = false }: Pick<ProvisioningDetails, 'id' | 'person' | 'emailConfirmed'>,
): NewValues => {
  const name = body.name.trim();
  const { extra, profile } = attributesOf({ extra: {}, profile: {} }, body, person);
  return {
    id,
    domain_id: domainId,
    name,
    name_key: nameKey(name),
    enabled: bit(body.enabled ?? true),
    default_project_id: body.default_project_id ?? null,
    options: mergeOptions('{}', body.options),
    extra: JSON.stringify(extra),
    external_id: person?.externalId ?? null,
    profile: JSON.stringify(profile),
    confirmed_email: emailConfirmed ? (mainEmail(profile) ?? null) : null,
  };
};

export function createUserCreation({
  db,
  clock,
  change,
  passwords,
  names,
  checks,
  directory,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly passwords: Passwords;
  readonly names: UserNames;
  readonly checks: ReferenceChecks;
  readonly directory: DirectoryGuard;
}) {
  async function insertRow(
    transaction: Change,
    body: NewUser,
    domainId: string,
    { isFirst = false, ...details }: Omit<ProvisioningDetails, 'inTransaction'> = {},
  ): Promise<UserRow> {
    if (!isFirst) await directory.forbidNew(domainId, transaction.tx);
    const values = newUserValues(body, domainId, details);
    const { id, name } = values;
    await names.check(transaction.tx, { id, domainId, name });
    return failOnBrokenReference(
      () => fail('domain.not_found', { id: domainId }),
      () => failOnDuplicateName('user', name, () => insertUserRow(transaction, clock, values)),
    );
  }

  /**
   * Inserts a user in an existing transaction. The caller has checked the domain and the default project. Fails in a domain whose users are
   * in a directory.
   */
  const insert = async (...user: Parameters<typeof insertRow>): Promise<string> => (await insertRow(...user)).id;

  async function create(
    caller: Caller,
    domainId: string,
    body: NewUser,
    { id, person, inTransaction }: ProvisioningDetails = {},
  ): Promise<UserWithExpiry> {
    refuseExemption(caller, '{}', mergeOptions('{}', body.options));
    await checks.domainOfNew(caller, domainId);
    await directory.forbidNew(domainId);
    await checks.defaultProject(body.default_project_id);
    if (id !== undefined && (await findUser(db.read, id))) fail('resource.duplicate', { kind: 'user', field: 'id', value: id });
    const account = { id: undefined, domainId, options: optionsOf(body.options) };
    const password = body.password
      ? await passwords.prepare(body.password, 'administrator', account, queueClientOf(caller))
      : undefined;
    const row = await change(caller, async (transaction) => {
      const inserted = await insertRow(transaction, body, domainId, { id, person });
      if (password) await passwords.store(transaction, inserted.id, password);
      await inTransaction?.(transaction, inserted.id);
      return inserted;
    });
    if (!password && !inTransaction) return { ...row, password_expires_at: null };
    return (await findUser(db.read, row.id)) ?? fail('user.not_found', { id: row.id });
  }

  return { insert, create };
}
