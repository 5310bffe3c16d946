// Consumers: registering, reading and changing applications. Roles decide who manages them (app-roles).
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { criteriaOf, type Filters, foundPage, NAME_AND_CREATION, pageOf, searchOf } from '../../ground/resource/index.ts';
import type { ConsumerChanges } from './attributes.ts';
import { refuseBuiltIn } from './built-in.ts';
import { consumerFinder, deleteConsumer, endGrants, findConsumer, listConsumers, lockConsumer } from './consumers.store.ts';
import { createConsumer, insertNewConsumer, type NewConsumer, newConsumerRow } from './create.rules.ts';
import { type ConsumerDeps, tagOfConsumer } from './deps.ts';
import { type ConsumerBodyBuilder, ensureConsumer } from './ensure.rules.ts';
import { logoPathOf, readLogo, readLogoImage, removeLogo, replaceLogo } from './logo.rules.ts';
import { logoIdsOf } from './logo.store.ts';
import { noteRegistration, removeRegistered, rewriteRegistered, saysTheSame } from './registered.rules.ts';
import type { RegistrationColumns } from './registration.ts';
import { reviseConsumer } from './revise.rules.ts';
import {
  type ConsumerWithSecret,
  endPreviousSecret,
  previousSecretUntil,
  rotateSecret,
  sweepPreviousSecrets,
  withSecret,
} from './secrets.rules.ts';

const filters: Filters = Object.fromEntries(
  ['name', 'description', 'client_type', 'grant_type', 'registered_by'].map((name) => [
    name,
    { column: `consumers.${name}`, kind: 'text' as const },
  ]),
);

async function consumerTarget(
  { db, management }: ConsumerDeps,
  caller: Caller,
  id: string,
): Promise<IdentityTarget<ConsumerRow>> {
  const managesApplication = await management.manages(caller, id);
  return targetOf(
    await findConsumer(db.read, id),
    () => ({ managesApplication }),
    () => fail('consumer.not_found', { id }),
  );
}

async function pageOfConsumers({ db }: ConsumerDeps, managed: readonly string[] | undefined, query: Query) {
  const listQuery = { ...searchOf(query, NAME_AND_CREATION), criteria: criteriaOf(query, filters) };
  return foundPage(query, await listConsumers(db, pageOf(query), listQuery, managed));
}

async function removeConsumer({ db, change, management }: ConsumerDeps, caller: Caller, consumer: ConsumerRow): Promise<void> {
  const { id } = consumer;
  refuseBuiltIn(consumer);
  await change(caller, async (transaction) => {
    const { tx, audit, invalidate } = transaction;
    await lockConsumer(db, tx, id);
    await management.onDelete(transaction, caller, id);
    await deleteConsumer(tx, id);
    invalidate(tagOfConsumer(id));
    audit('consumer.deleted', { kind: 'consumer', id });
  });
}

/** Ends everything that the application has of people, and its own tokens. */
async function endAccess({ db, change }: ConsumerDeps, caller: Caller, { id }: ConsumerRow): Promise<void> {
  await change(caller, async ({ tx, audit, invalidate }) => {
    if (!(await lockConsumer(db, tx, id))) fail('consumer.not_found', { id });
    await endGrants(tx, id);
    invalidate(tagOfConsumer(id));
    audit('consumer.access_ended', { kind: 'consumer', id });
  });
}

export function createConsumers(deps: ConsumerDeps) {
  const find = consumerFinder(deps.db);
  return {
    target: (caller: Caller, id: string) => consumerTarget(deps, caller, id),
    list: async (caller: Caller, query: Query) => pageOfConsumers(deps, await deps.management.managedApplications(caller), query),
    /** Those that a user manages. */
    listOfUser: async (userId: string, query: Query) => pageOfConsumers(deps, await deps.management.managedBy(userId), query),
    withSecret: (row: ConsumerRow) => withSecret(deps, row),
    create: (caller: Caller, body: NewConsumer) => createConsumer(deps, caller, body),
    insert: (transaction: Change, body: NewConsumer, id?: string, registration?: RegistrationColumns) =>
      insertNewConsumer(deps, transaction, body, id, registration),
    /** The row stays as it is until the transaction ends. */
    lock: ({ tx }: Pick<Change, 'tx'>, id: string) => lockConsumer(deps.db, tx, id),
    /** Of applications that registered themselves: without any check of the caller. */
    rewriteRegistered,
    saysTheSame,
    /** Not stored. */
    rowOf: (body: NewConsumer, id: string, registration: RegistrationColumns) => newConsumerRow(deps, body, id, registration),
    noteRegistration,
    removeRegistered,
    /** Whoever keeps an application that registered itself manages it, as if they had registered it. */
    adopt: (transaction: Change, caller: Caller, id: string) => deps.management.onRegistered(transaction, caller, id),
    update: (caller: Caller, consumer: ConsumerRow, body: ConsumerChanges) => reviseConsumer(deps, caller, consumer, body),
    remove: (caller: Caller, consumer: ConsumerRow) => removeConsumer(deps, caller, consumer),
    async rotateSecret(caller: Caller, consumer: ConsumerRow, graceSeconds?: number): Promise<ConsumerWithSecret> {
      refuseBuiltIn(consumer);
      return rotateSecret(deps, caller, consumer.id, graceSeconds);
    },
    endAccess: (caller: Caller, consumer: ConsumerRow) => endAccess(deps, caller, consumer),
    endPreviousSecret: (caller: Caller, { id }: ConsumerRow) => endPreviousSecret(deps, caller, id),
    logo: (consumer: ConsumerRow) => readLogo(deps, consumer),
    replaceLogo: (caller: Caller, consumer: ConsumerRow, content: string) => replaceLogo(deps, caller, consumer, content),
    removeLogo: (caller: Caller, consumer: ConsumerRow) => removeLogo(deps, caller, consumer),
    /** The ids of the logos of some consumers, by the ids of these. */
    logoIds: (rows: readonly ConsumerRow[]) =>
      logoIdsOf(
        deps.db.read,
        rows.map(({ id }) => id),
      ),
    /** For everybody: the image of a logo, and the path of an application's. */
    logoImage: (id: string) => readLogoImage(deps, id),
    logoPathOf: (consumerId: string) => logoPathOf(deps, consumerId),
    /** Until when the previous secret works; null when none does. */
    previousSecretUntil: (row: ConsumerRow) => previousSecretUntil(deps.clock, row),
    ensure: (actor: Actor, id: string, bodyOf: ConsumerBodyBuilder) => ensureConsumer(deps, actor, id, bodyOf),
    /** For the OpenID provider: without any check of the caller, and as it is stored. */
    row: find,
    /** For the OpenID provider: without any check of the caller. */
    async findWithSecret(id: string): Promise<ConsumerWithSecret | undefined> {
      const row = await find(id);
      return row && withSecret(deps, row);
    },
    /** For the command line, which acts as the service. */
    rotateSecretOf: (actor: Actor, id: string) => rotateSecret(deps, actor, id),
    /** Deletes previous secrets that have expired. Returns how many. */
    sweep: () => sweepPreviousSecrets(deps),
  };
}

export type Consumers = ReturnType<typeof createConsumers>;
