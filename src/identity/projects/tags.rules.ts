// Tags of a project.
import type { Caller } from '../caller.ts';
import { unlessMoved } from '../conflicts.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { refuseImmutable } from '../immutable.ts';
import { type Action, permit } from '../policy.ts';
import { projectTarget } from './projects.rules.ts';
import type { ProjectWithTags } from './projects.schema.ts';
import { addTag, findProjectRow, removeTag, replaceTags, withTags } from './projects.store.ts';

const MAX_TAGS = 80;
const gone = (id: string) => () => fail('project.not_found', { id });

export function createTags({ db, change }: Pick<Deps, 'db' | 'change'>) {
  async function projectFor(caller: Caller, action: Action, id: string): Promise<ProjectWithTags> {
    const row = await findProjectRow(db.read, id);
    permit(caller, action, projectTarget(row));
    if (!row) fail('project.not_found', { id });
    return (await withTags(db.read, [row]))[0]!;
  }

  async function replace(caller: Caller, action: Action, id: string, tags: readonly string[]): Promise<readonly string[]> {
    refuseImmutable('project', await projectFor(caller, action, id), 'update');
    await change(caller, async ({ tx, audit }) => {
      await unlessMoved(gone(id), () => replaceTags(tx, id, tags));
      audit('project.tags_replaced', { kind: 'project', id }, { count: tags.length });
    });
    return tags;
  }

  return {
    async list(caller: Caller, id: string): Promise<readonly string[]> {
      return (await projectFor(caller, 'identity:list_project_tags', id)).tags;
    },
    async check(caller: Caller, id: string, tag: string): Promise<void> {
      const { tags } = await projectFor(caller, 'identity:get_project_tag', id);
      if (!tags.includes(tag)) fail('project.tag_not_found', { tag });
    },
    replace: (caller: Caller, id: string, tags: readonly string[]) => replace(caller, 'identity:update_project_tags', id, tags),
    clear: (caller: Caller, id: string) => replace(caller, 'identity:delete_project_tags', id, []),
    async add(caller: Caller, id: string, tag: string): Promise<void> {
      const project = await projectFor(caller, 'identity:create_project_tag', id);
      refuseImmutable('project', project, 'update');
      if (tag.length > 255 || /[,/]/.test(tag))
        fail('request.bad_value', { field: 'tag', why: 'it has 1 to 255 characters, none of them , or /' });
      if (!project.tags.includes(tag) && project.tags.length >= MAX_TAGS)
        fail('request.bad_value', { field: 'tag', why: `a project has at most ${MAX_TAGS} tags` });
      await change(caller, async ({ tx, audit }) => {
        await unlessMoved(gone(id), () => addTag(tx, id, tag));
        audit('project.tag_added', { kind: 'project', id }, { tag });
      });
    },
    async remove(caller: Caller, id: string, tag: string): Promise<void> {
      refuseImmutable('project', await projectFor(caller, 'identity:delete_project_tag', id), 'update');
      await change(caller, async ({ tx, audit }) => {
        if (!(await removeTag(tx, id, tag))) fail('project.tag_not_found', { tag });
        audit('project.tag_removed', { kind: 'project', id }, { tag });
      });
    },
  };
}

export type ProjectTags = ReturnType<typeof createTags>;
