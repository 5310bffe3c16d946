// Organizations that nobody is in any more.
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { deleteProject, hasChildren, hasOtherPeople, lockProject } from './projects.store.ts';

/**
 * Deletes an organization as part of the deletion of a user, if nobody else has a role in it. One with projects below it or with options,
 * such as `immutable`, stays.
 */
export async function deleteIfAbandoned(db: Database, transaction: Change, id: string, userId: string): Promise<void> {
  const { tx, audit, invalidate } = transaction;
  const project = await lockProject(db, tx, id);
  if (!project || project.is_domain === 1 || project.options !== '{}') return;
  if ((await hasChildren(tx, id, false)) || (await hasOtherPeople(tx, id, userId))) return;
  await deleteProject(tx, id);
  invalidate(tagOf.project(id));
  invalidate(tagOf.census('projects'));
  audit('project.deleted', { kind: 'project', id }, { domain_id: project.domain_id });
}
