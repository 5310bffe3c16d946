// Tags of a project.
import type { Caller } from '../access/index.ts';
import type { ProjectRow } from '../database.ts';
import { fail } from '../faults.ts';
import { type Deps, failOnBrokenReference, refuseImmutable } from '../resource/index.ts';
import { addTag, removeTag, replaceTags, withTags } from './projects.store.ts';

const MAX_TAGS = 80;
const gone = (id: string) => () => fail('project.not_found', { id });

export function createTags({ db, change }: Pick<Deps, 'db' | 'change'>) {
  const list = async (project: ProjectRow): Promise<readonly string[]> => (await withTags(db.read, [project]))[0]!.tags;

  async function replace(caller: Caller, project: ProjectRow, tags: readonly string[]): Promise<readonly string[]> {
    const { id } = project;
    refuseImmutable('project', project, 'update');
    await change(caller, async ({ tx, audit }) => {
      await failOnBrokenReference(gone(id), () => replaceTags(tx, id, tags));
      audit('project.tags_replaced', { kind: 'project', id }, { count: tags.length });
    });
    return tags;
  }

  return {
    list,
    async check(project: ProjectRow, tag: string): Promise<void> {
      if (!(await list(project)).includes(tag)) fail('project.tag_not_found', { tag });
    },
    replace,
    async add(caller: Caller, project: ProjectRow, tag: string): Promise<void> {
      const { id } = project;
      refuseImmutable('project', project, 'update');
      if (tag.length > 255 || /[,/]/.test(tag))
        fail('request.bad_value', { field: 'tag', why: 'it must have 1 to 255 characters and no comma or slash' });
      const tags = await list(project);
      if (!tags.includes(tag) && tags.length >= MAX_TAGS)
        fail('request.bad_value', { field: 'tag', why: `a project has at most ${MAX_TAGS} tags` });
      await change(caller, async ({ tx, audit }) => {
        await failOnBrokenReference(gone(id), () => addTag(tx, id, tag));
        audit('project.tag_added', { kind: 'project', id }, { tag });
      });
    },
    async remove(caller: Caller, project: ProjectRow, tag: string): Promise<void> {
      const { id } = project;
      refuseImmutable('project', project, 'update');
      await change(caller, async ({ tx, audit }) => {
        if (!(await removeTag(tx, id, tag))) fail('project.tag_not_found', { tag });
        audit('project.tag_removed', { kind: 'project', id }, { tag });
      });
    },
  };
}

export type ProjectTags = ReturnType<typeof createTags>;
