// Writing the row of a project or a domain: the same columns, the same conflicts.
import { type Clock, seconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database, ProjectRow } from '../database.ts';
import { fail } from '../faults.ts';
import { bit, extraOf, mergeExtra, mergeOptions, unlessMoved, unlessTaken } from '../resource/index.ts';
import { projectFields } from './projects.schema.ts';
import { endTokensOfProject, insertProject, lockProject, replaceTags, updateProject } from './projects.store.ts';

interface Body {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** A change: of what the base API shows, and of the id a provisioning client keeps with it. */
export interface ProjectRevision<B extends Body = Body> {
  readonly body: B;
  readonly externalId?: string | null;
}

/** `place`: domain and parent of a project, null for a domain. */
export async function insertRow(
  { tx, audit, invalidate }: Change,
  clock: Clock,
  body: Body & { readonly name: string },
  place: { readonly domainId: string; readonly parentId: string } | null,
  { id = newId(), externalId = null }: { readonly id?: string | undefined; readonly externalId?: string | null } = {},
): Promise<string> {
  const kind = place ? 'project' : 'domain';
  const name = body.name.trim();
  const row: ProjectRow = {
    id,
    name,
    domain_id: place?.domainId ?? null,
    parent_id: place?.parentId ?? null,
    is_domain: bit(!place),
    enabled: bit(body.enabled ?? true),
    description: body.description ?? '',
    epoch: clock.now(),
    options: mergeOptions('{}', body.options),
    extra: JSON.stringify(extraOf({ ...body }, projectFields)),
    created_at: seconds(clock),
    version: 1,
    updated_at: clock.now(),
    external_id: externalId,
  };
  await unlessMoved(
    () => fail('request.bad_value', { field: 'parent_id', why: 'it is being deleted' }),
    () => unlessTaken(kind, name, () => insertProject(tx, row)),
  );
  await replaceTags(tx, id, body.tags ?? []);
  invalidate(tagOf.census('projects'));
  audit(`${kind}.created`, { kind, id }, place ? { domain_id: place.domainId } : {});
  return id;
}

/** A change by what the row is at that moment, which is held until the change ends. */
export async function updateRow(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { tx, audit, invalidate }: Change,
  seen: ProjectRow,
  revisionOf: (row: ProjectRow) => ProjectRevision,
): Promise<void> {
  const kind = seen.is_domain ? 'domain' : 'project';
  const row = (await lockProject(db, tx, seen.id)) ?? fail(`${kind}.not_found`, { id: seen.id });
  const { body, externalId } = revisionOf(row);
  const name = body.name?.trim() ?? row.name;
  const values = {
    name,
    enabled: body.enabled === undefined ? row.enabled : bit(body.enabled),
    description: body.description === undefined ? row.description : (body.description ?? ''),
    options: mergeOptions(row.options, body.options),
    extra: mergeExtra(row.extra, extraOf({ ...body }, projectFields)),
    external_id: externalId === undefined ? row.external_id : externalId,
    updated_at: clock.now(),
  };
  await unlessTaken(kind, name, () => updateProject(tx, row.id, values));
  if (body.tags) await replaceTags(tx, row.id, body.tags);
  if (body.enabled === false && row.enabled === 1) await endTokensOfProject(tx, row.id);
  invalidate(tagOf.project(row.id));
  audit(`${kind}.updated`, { kind, id: row.id }, { fields: Object.keys(body) });
}
