// Runs of imports: begun, fed with batches, and ended with a report.
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import { findProject } from '../../access/context/index.ts';
import { type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { ImportRunRow, RunState } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, foundPage, pageOf } from '../../ground/resource/index.ts';
import { createBatches } from './batch.rules.ts';
import type { ImportRun } from './decision.rules.ts';
import type { Taken } from './entries.ts';
import type { ImportDeps } from './kind.ts';
import { IMPORT_KINDS, isImportKind } from './kinds/index.ts';
import { deleteOldRuns, findRun, insertRun, listRuns, updateRun } from './runs.store.ts';
import { countThings, forgetThingsOf, rehearsalOf } from './things.store.ts';

/** Of a source, with their reports. */
const KEPT_RUNS = 20;

/** How an import is begun. */
export interface NewRun {
  /** What this source is called here: what came from it is found again by this name. */
  readonly source: string;
  /** Of which kind it is, such as `keystone`. */
  readonly kind: string;
  readonly rehearsal: boolean;
  readonly merge?: readonly string[] | undefined;
  readonly domain_id?: string | null | undefined;
}

const runOf = (row: ImportRunRow): ImportRun => ({
  id: row.id,
  source: row.source,
  isRehearsal: row.rehearsal === 1,
  merges: new Set(JSON.parse(row.merges) as string[]),
  domainId: row.domain_id ?? undefined,
});

export function createImports(deps: ImportDeps & Pick<Deps, 'change'>) {
  const { db, clock, change } = deps;
  const takeBatch = createBatches(deps, IMPORT_KINDS);

  const target = async (id: string): Promise<IdentityTarget<ImportRunRow>> =>
    targetOf(
      await findRun(db.read, id),
      () => ({}),
      () => fail('import.not_found', { id }),
    );

  async function begin(actor: Actor, { source, kind, rehearsal, merge = [], domain_id = null }: NewRun): Promise<ImportRunRow> {
    const unknown = merge.find((one) => !isImportKind(one));
    if (unknown !== undefined)
      fail('request.bad_value', { field: 'merge', why: `${unknown} is none of ${Object.keys(IMPORT_KINDS).join(', ')}` });
    if (domain_id !== null && !(await findProject(db.read, domain_id))?.is_domain) fail('domain.not_found', { id: domain_id });
    const now = seconds(clock);
    const row: ImportRunRow = {
      id: newId(),
      source,
      kind,
      rehearsal: rehearsal ? 1 : 0,
      merges: JSON.stringify([...new Set(merge)]),
      domain_id,
      user_id: actor.userId,
      state: 'running',
      started_at: now,
      updated_at: now,
      report: '{}',
    };
    await change(actor, async ({ tx, audit }) => {
      await insertRun(tx, row);
      for (const id of await deleteOldRuns(tx, source, KEPT_RUNS)) await forgetThingsOf(tx, rehearsalOf(id));
      audit('import.started', { kind: 'import', id: row.id }, { source, kind, rehearsal, merge: [...new Set(merge)] });
    });
    return row;
  }

  async function take(actor: Actor, row: ImportRunRow, kind: string, records: readonly unknown[]): Promise<Taken[]> {
    if (!isImportKind(kind))
      fail('request.bad_value', { field: 'kind', why: `it is none of ${Object.keys(IMPORT_KINDS).join(', ')}` });
    if (row.state !== 'running') fail('import.ended', { id: row.id });
    return takeBatch(actor, runOf(row), kind, records);
  }

  /** The report replaces the one before. What a rehearsal remembered is not needed when it has ended. */
  async function report(
    actor: Actor,
    { id, source, rehearsal }: ImportRunRow,
    { state, report: content }: { readonly state?: RunState | undefined; readonly report: Readonly<Record<string, unknown>> },
  ): Promise<ImportRunRow> {
    const values = { report: JSON.stringify(content), updated_at: seconds(clock), ...(state ? { state } : {}) };
    if (state === undefined || state === 'running') await db.write((tx) => updateRun(tx, id, values));
    else
      await change(actor, async ({ tx, audit }) => {
        await updateRun(tx, id, values);
        if (rehearsal === 1) await forgetThingsOf(tx, rehearsalOf(id));
        audit('import.ended', { kind: 'import', id }, { source, state, rehearsal: rehearsal === 1 });
      });
    return (await findRun(db.read, id)) ?? fail('import.not_found', { id });
  }

  return {
    target,
    begin,
    take,
    report,
    list: async (query: Query) => foundPage(query, await listRuns(db, pageOf(query))),
    /** How many things of each kind came from the source of the run so far. */
    things: ({ source }: ImportRunRow) => countThings(db.lists, source),
  };
}

export type Imports = ReturnType<typeof createImports>;
