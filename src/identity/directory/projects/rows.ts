// Writes the row of a project or a domain.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  bit,
  extraOf,
  failOnBrokenReference,
  failOnDuplicateName,
  mergeExtra,
  mergeOptions,
} from '../../ground/resource/index.ts';
import { projectFields } from './projects.schema.ts';
import {
  endProjectTokensIssuedBefore,
  insertProject,
  lockProject,
  replaceTags,
  revokeTokensOfProject,
  updateProject,
} from './projects.store.ts';

export interface ProjectBody {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** A change: fields of the base API, and the external id of provisioning clients. */
export interface ProjectRevision<B extends ProjectBody = ProjectBody> {
  readonly body: B;
  readonly externalId?: string | null;
}

/** `parent`: domain and parent of a project; null for a domain. */
export async function insertProjectRow(
  { tx, audit, invalidate }: Change,
  clock: Clock,
  body: ProjectBody & { readonly name: string },
  parent: { readonly domainId: string; readonly parentId: string } | null,
  { id = newId(), externalId = null }: { readonly id?: string | undefined; readonly externalId?: string | null } = {},
): Promise<ProjectRow> {
  const kind = parent ? 'project' : 'domain';
  const name = body.name.trim();
  const row: ProjectRow = {
    id,
    name,
    domain_id: parent?.domainId ?? null,
    parent_id: parent?.parentId ?? null,
    is_domain: bit(!parent),
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
  const tags = [...new Set(body.tags)];
  await failOnBrokenReference(
    () => fail('request.bad_value', { field: 'parent_id', why: 'it is being deleted' }),
    () => failOnDuplicateName(kind, name, () => insertProject(tx, row, tags)),
  );
  invalidate(tagOf.census('projects'));
  audit(`${kind}.created`, { kind, id }, parent ? { domain_id: parent.domainId } : {});
  return row;
}

/**
 * `revisionOf` gets the locked row, so that concurrent updates do not overwrite each other. `check` gets it, too, and throws when it must
 * not be changed like that.
 */
export async function updateProjectRow(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { tx, audit, invalidate }: Change,
  before: ProjectRow,
  revisionOf: (row: ProjectRow) => ProjectRevision,
  check: (row: ProjectRow, body: ProjectBody) => void | Promise<void>,
): Promise<void> {
  const kind = before.is_domain ? 'domain' : 'project';
  const row = (await lockProject(db, tx, before.id)) ?? fail(`${kind}.not_found`, { id: before.id });
  const { body, externalId } = revisionOf(row);
  await check(row, body);
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
  await failOnDuplicateName(kind, name, () => updateProject(tx, row.id, values));
  if (body.tags) await replaceTags(tx, row.id, body.tags);
  if (body.enabled === false && row.enabled === 1) await revokeTokensOfProject(tx, row.id, clock.now());
  invalidate(tagOf.project(row.id));
  audit(`${kind}.updated`, { kind, id: row.id }, { fields: Object.keys(body) });
}

/** Of those that a Keystone issued: the ones until then (milliseconds), which it revoked. False when there is no such project or domain. */
export async function endProjectTokensBefore({ tx, audit, invalidate }: Change, id: string, at: number): Promise<boolean> {
  if (!(await endProjectTokensIssuedBefore(tx, id, at))) return false;
  invalidate(tagOf.project(id));
  audit('project.updated', { kind: 'project', id }, { fields: ['tokens_ended_at'], by: 'keystone' });
  return true;
}
