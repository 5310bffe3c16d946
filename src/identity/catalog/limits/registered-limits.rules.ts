// Registered limits: the resources of services that can be limited, and how much of each everybody may use by default.
import { isUniqueViolation, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Database, Reader, RegisteredLimitRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { criteriaOf, type Deps, type Filters, failOnBrokenReference, foundPage, pageOf } from '../../ground/resource/index.ts';
import type { CreateRegisteredLimits, UpdateRegisteredLimit } from './limits.schema.ts';
import {
  deleteRegisteredLimit,
  existing,
  findRegisteredLimit,
  forgetGoneLimit,
  hasLimits,
  insertRegisteredLimits,
  isGoneLimit,
  listRegisteredLimits,
  lockRegisteredLimit,
  updateRegisteredLimit,
} from './limits.store.ts';

type NewRegisteredLimit = Static<typeof CreateRegisteredLimits>['registered_limits'][number];
type RegisteredLimitChanges = Static<typeof UpdateRegisteredLimit>['registered_limit'];

export const RESOURCE_FILTERS = {
  service_id: { column: 'registered_limits.service_id', kind: 'text' },
  region_id: { column: 'registered_limits.region_id', kind: 'text' },
  resource_name: { column: 'registered_limits.resource_name', kind: 'text' },
} as const satisfies Filters;

/**
 * Changes wait for each other: a limit is for the resource that its registered limit names when it is stored, and is compared with the
 * default that is in force then.
 */
export const lockLimits = (db: Pick<Database, 'dialect'>, tx: Tx): Promise<void> => takeAdvisoryLock(db, tx, 'limits');

export async function failOnDuplicateLimit<T>(kind: 'limit' | 'registered limit', write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) fail('limit.duplicate', { kind });
    throw error;
  }
}

const referenceGone = (): never =>
  fail('request.bad_value', { field: 'service_id', why: 'the service or the region was deleted' });

/** Services and regions that a request names must exist. */
export async function checkReferences(
  db: Reader,
  limits: readonly { readonly service_id?: string | undefined; readonly region_id?: string | null | undefined }[],
): Promise<void> {
  for (const [table, field] of [
    ['services', 'service_id'],
    ['regions', 'region_id'],
  ] as const) {
    const ids = [...new Set(limits.flatMap((one) => one[field] ?? []))];
    const known = await existing(db, table, ids);
    for (const id of ids)
      if (!known.has(id)) fail('request.bad_value', { field, why: `there is no ${table.slice(0, -1)} ${id}` });
  }
}

/** Instead of saying that there is none: one that its service or region took along is deleted once more, as by clients of Keystone, where it stays. */
export async function orGone<Row extends { readonly id: string }>(
  db: Database,
  id: string,
  target: IdentityTarget<Row>,
): Promise<IdentityTarget<{ readonly id: string }>> {
  return (await isGoneLimit(db.read, id)) ? { ...target, get: () => ({ id }) } : target;
}

export function createRegisteredLimits({ db, change }: Pick<Deps, 'db' | 'change'>) {
  const missing = (id: string): never => fail('registered_limit.not_found', { id });
  const registeredTarget = async (id: string): Promise<IdentityTarget<RegisteredLimitRow>> =>
    targetOf(
      await findRegisteredLimit(db.read, id),
      () => ({}),
      () => missing(id),
    );

  return {
    registeredTarget,
    unregisterTarget: async (id: string) => orGone(db, id, await registeredTarget(id)),

    async listRegistered(query: Query) {
      return foundPage(query, await listRegisteredLimits(db, pageOf(query), criteriaOf(query, RESOURCE_FILTERS)));
    },

    /** All of them, or none. */
    async register(caller: Caller, limits: readonly NewRegisteredLimit[]): Promise<RegisteredLimitRow[]> {
      const rows = limits.map(
        (limit): RegisteredLimitRow => ({
          id: newId(),
          service_id: limit.service_id,
          region_id: limit.region_id ?? null,
          resource_name: limit.resource_name,
          default_limit: limit.default_limit,
          description: limit.description ?? null,
        }),
      );
      await change(caller, async ({ tx, audit }) => {
        await checkReferences(tx, rows);
        await failOnBrokenReference(referenceGone, () =>
          failOnDuplicateLimit('registered limit', () => insertRegisteredLimits(tx, rows)),
        );
        for (const { id } of rows) audit('registered_limit.created', { kind: 'registered_limit', id });
      });
      return rows;
    },

    /** What limits refer to stays as it is. */
    async updateRegistered(
      caller: Caller,
      { id }: RegisteredLimitRow,
      body: RegisteredLimitChanges,
    ): Promise<RegisteredLimitRow> {
      return change(caller, async ({ tx, audit }) => {
        await lockLimits(db, tx);
        await checkReferences(tx, [body]);
        const row = (await lockRegisteredLimit(db, tx, id)) ?? missing(id);
        if (await hasLimits(tx, id)) fail('registered_limit.in_use', { id });
        const values = {
          service_id: body.service_id ?? row.service_id,
          region_id: body.region_id === undefined ? row.region_id : body.region_id,
          resource_name: body.resource_name ?? row.resource_name,
          default_limit: body.default_limit ?? row.default_limit,
          description: body.description === undefined ? row.description : body.description,
        };
        await failOnBrokenReference(referenceGone, () =>
          failOnDuplicateLimit('registered limit', () => updateRegisteredLimit(tx, id, values)),
        );
        audit('registered_limit.updated', { kind: 'registered_limit', id }, { fields: Object.keys(body) });
        return { ...row, ...values };
      });
    },

    async unregister(caller: Caller, { id }: { readonly id: string }): Promise<void> {
      if (await db.write((tx) => forgetGoneLimit(tx, id))) return;
      await change(caller, async ({ tx, audit }) => {
        if (!(await lockRegisteredLimit(db, tx, id))) missing(id);
        if (await hasLimits(tx, id)) fail('registered_limit.in_use', { id });
        await deleteRegisteredLimit(tx, id);
        audit('registered_limit.deleted', { kind: 'registered_limit', id });
      });
    },
  };
}
