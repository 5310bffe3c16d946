// Mappings: what the claims of a provider make of a person here.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { MappingRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, foundPage, pageOf } from '../../ground/resource/index.ts';
import { checkNewId, failOnDuplicateId } from './ids.ts';
import { DEFAULT_SCHEMA_VERSION, validateMapping } from './mapping/index.ts';
import type { CreateMapping } from './mappings.schema.ts';
import { deleteMapping, findMapping, insertMapping, listMappings, lockMapping, updateMapping } from './mappings.store.ts';
import { checkVersion } from './versions.ts';

type MappingBody = Static<typeof CreateMapping>['mapping'];

/** The row of what was validated. */
function contentOf({ rules, schema_version }: MappingBody): Pick<MappingRow, 'rules' | 'schema_version'> {
  const { problems } = validateMapping(rules, schema_version);
  if (problems) fail('mapping.invalid', { why: problems.map(({ place, why }) => `${place}: ${why}`).join('; ') });
  return { rules: JSON.stringify(rules), schema_version: schema_version ?? DEFAULT_SCHEMA_VERSION };
}

export function createMappings({
  db,
  clock,
  change,
  endTokensOfMapping,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  /** Called in the transaction that changes or deletes a mapping. */
  endTokensOfMapping(transaction: Change, mappingId: string): Promise<void>;
}) {
  const missing = (id: string) => fail('mapping.not_found', { id });

  async function insert({ tx, audit }: Change, id: string, body: MappingBody): Promise<MappingRow> {
    checkNewId('mapping_id', id);
    const row: MappingRow = { id, ...contentOf(body), created_at: seconds(clock) };
    await failOnDuplicateId('mapping', id, () => insertMapping(tx, row));
    audit('mapping.created', { kind: 'mapping', id });
    return row;
  }

  return {
    target: async (id: string): Promise<IdentityTarget<MappingRow>> =>
      targetOf(
        await findMapping(db.read, id),
        () => ({}),
        () => missing(id),
      ),

    async list(query: Query) {
      return foundPage(query, await listMappings(db, pageOf(query)));
    },

    /** In a transaction that makes more than the mapping. */
    insert,

    create: (caller: Caller, id: string, body: MappingBody): Promise<MappingRow> =>
      change(caller, (transaction) => insert(transaction, id, body)),

    async update(caller: Caller, row: MappingRow, body: MappingBody, ifMatch?: string): Promise<MappingRow> {
      const { id } = row;
      if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'mapping' });
      const content = contentOf({ ...body, schema_version: body.schema_version ?? row.schema_version });
      await change(caller, async (transaction) => {
        const { tx, audit, invalidate } = transaction;
        const former = (await lockMapping(db, tx, id)) ?? missing(id);
        checkVersion('mapping', id, ifMatch, former);
        const isOther = former.rules !== content.rules || former.schema_version !== content.schema_version;
        // Whom the mapping let in before, it may not let in now.
        if (isOther) await endTokensOfMapping(transaction, id);
        if (!(await updateMapping(tx, id, content))) missing(id);
        invalidate(tagOf.mapping(id));
        audit('mapping.updated', { kind: 'mapping', id });
      });
      return { ...row, ...content };
    },

    async remove(caller: Caller, { id }: MappingRow): Promise<void> {
      await change(caller, async (transaction) => {
        const { tx, audit, invalidate } = transaction;
        if (!(await lockMapping(db, tx, id))) missing(id);
        await endTokensOfMapping(transaction, id);
        if (!(await deleteMapping(tx, id))) missing(id);
        invalidate(tagOf.mapping(id));
        audit('mapping.deleted', { kind: 'mapping', id });
      });
    },
  };
}

export type Mappings = ReturnType<typeof createMappings>;
