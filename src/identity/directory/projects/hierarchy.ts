// `?parents_as_list`, `?subtree_as_ids` and so on: the ancestors and descendants of a project.
import type { Query } from '../../../platform/http/index.ts';
import { ancestorsOf } from '../../access/context/index.ts';
import { type Caller, isAllowed } from '../../access/rules/index.ts';
import type { Database, ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { readFlag } from '../../ground/resource/index.ts';
import { projectFacts } from './projects.rules.ts';
import { renderProject } from './projects.schema.ts';
import { descendants, readProjects, withTags } from './projects.store.ts';

interface IdTree {
  [id: string]: IdTree | null;
}

function hierarchyFormat(query: Query, kind: 'parents' | 'subtree'): 'list' | 'ids' | undefined {
  const asList = readFlag(query, `${kind}_as_list`);
  const asIds = readFlag(query, `${kind}_as_ids`);
  if (asList && asIds) fail('request.bad_value', { field: `${kind}_as_list`, why: `it cannot be combined with ${kind}_as_ids` });
  return asList ? 'list' : asIds ? 'ids' : undefined;
}

function idTree(rootId: string, rows: readonly ProjectRow[]): IdTree | null {
  const children = rows.filter((row) => row.parent_id === rootId);
  if (children.length === 0) return null;
  return Object.fromEntries(children.map((child) => [child.id, idTree(child.id, rows)]));
}

/** `reachable`: the projects the caller has a role in. A caller who may not see all projects sees only these. */
export async function hierarchyOf(
  db: Database,
  caller: Caller,
  project: ProjectRow,
  query: Query,
  base: string,
  reachable: () => Promise<readonly Pick<ProjectRow, 'id'>[]>,
): Promise<Record<string, unknown>> {
  const parents = hierarchyFormat(query, 'parents');
  const subtree = hierarchyFormat(query, 'subtree');
  const hierarchy: Record<string, unknown> = {};

  async function renderVisible(rows: readonly ProjectRow[]) {
    const seesAll = rows.every((row) => isAllowed(caller, 'identity:get_project', projectFacts(row)));
    const own = new Set((seesAll ? rows : await reachable()).map(({ id }) => id));
    const visible = rows.filter((row) => own.has(row.id));
    return (await withTags(db.read, visible)).map((row) => ({ project: renderProject(base, row) }));
  }

  if (parents) {
    const ids = await ancestorsOf(db.read, project.id);
    if (parents === 'ids') hierarchy.parents = ids.reduceRight<IdTree | null>((above, id) => ({ [id]: above }), null);
    else {
      const rows = await readProjects(db.read, ids);
      hierarchy.parents = await renderVisible(ids.flatMap((id) => rows.filter((row) => row.id === id && !row.is_domain)));
    }
  }
  if (subtree) {
    const rows = await descendants(db.read, project.id);
    hierarchy.subtree = subtree === 'ids' ? idTree(project.id, rows) : await renderVisible(rows);
  }
  return hierarchy;
}
