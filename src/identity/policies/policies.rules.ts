// Policies: what services store here for themselves. Our own rules are in access/.
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { type Caller, type IdentityTarget, targetOf } from '../access/index.ts';
import type { PolicyRow } from '../database.ts';
import { fail } from '../faults.ts';
import { criteriaOf, type Deps, extraOf, type Filters, mergeExtra, pageOf, single } from '../resource/index.ts';
import { createAssociations } from './associations.rules.ts';
import { type CreatePolicy, policyFields, type UpdatePolicy } from './policies.schema.ts';
import { deletePolicy, findPolicy, insertPolicy, listPolicies, lockPolicy, updatePolicy } from './policies.store.ts';

type NewPolicy = Static<typeof CreatePolicy>['policy'];
type PolicyChanges = Static<typeof UpdatePolicy>['policy'];

const filters: Filters = { type: { column: 'policies.type', kind: 'text' } };

export function createPolicies(deps: Pick<Deps, 'db' | 'change'>) {
  const { db, change } = deps;
  const missing = (id: string): never => fail('policy.not_found', { id });

  return {
    ...createAssociations(deps),

    target: async (id: string): Promise<IdentityTarget<PolicyRow>> =>
      targetOf(
        await findPolicy(db.read, id),
        () => ({}),
        () => missing(id),
      ),

    async list(query: Query) {
      const page = await listPolicies(db, pageOf(query), criteriaOf(query, filters));
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },

    async create(caller: Caller, body: NewPolicy): Promise<PolicyRow> {
      const row = { id: newId(), type: body.type, blob: body.blob, extra: JSON.stringify(extraOf(body, policyFields)) };
      await change(caller, async ({ tx, audit }) => {
        await insertPolicy(tx, row);
        audit('policy.created', { kind: 'policy', id: row.id });
      });
      return row;
    },

    async update(caller: Caller, { id }: PolicyRow, body: PolicyChanges): Promise<PolicyRow> {
      if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'policy' });
      return change(caller, async ({ tx, audit }) => {
        const row = (await lockPolicy(db, tx, id)) ?? missing(id);
        const values = {
          type: body.type ?? row.type,
          blob: body.blob ?? row.blob,
          extra: mergeExtra(row.extra, extraOf(body, policyFields)),
        };
        await updatePolicy(tx, id, values);
        audit('policy.updated', { kind: 'policy', id }, { fields: Object.keys(body) });
        return { ...row, ...values };
      });
    },

    async remove(caller: Caller, { id }: PolicyRow): Promise<void> {
      await change(caller, async ({ tx, audit }) => {
        if (!(await deletePolicy(tx, id))) missing(id);
        audit('policy.deleted', { kind: 'policy', id });
      });
    },
  };
}

export type Policies = ReturnType<typeof createPolicies>;
