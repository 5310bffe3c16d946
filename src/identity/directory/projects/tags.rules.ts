// Tags of a project.
import type { Caller } from '../../access/rules/index.ts';
import type { ProjectRow, Reader, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, refuseImmutable } from '../../ground/resource/index.ts';
import { addTag, lockProject, removeTag, replaceTags, withTags } from './projects.store.ts';

const MAX_TAGS = 80;

const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });

/** As Keystone: without spaces around them, which may leave nothing of a tag, or two that are the same. */
function trimmedTags(field: string, tags: readonly string[]): string[] {
  const trimmed = tags.map((tag) => tag.trim());
  if (trimmed.includes('')) refuse(field, 'a tag must have more than spaces');
  if (new Set(trimmed).size < trimmed.length) refuse(field, 'a tag is in it twice');
  return trimmed;
}

export function createTags({ db, change }: Pick<Deps, 'db' | 'change'>) {
  const list = async (project: ProjectRow, reader: Reader = db.read): Promise<readonly string[]> =>
    (await withTags(reader, [project]))[0]!.tags;

  /** Locked, so that tags are changed one after the other: the limit counts all of them. */
  async function lockToChange(tx: Tx, id: string): Promise<ProjectRow> {
    const project = (await lockProject(db, tx, id)) ?? fail('project.not_found', { id });
    refuseImmutable('project', project, 'update');
    return project;
  }

  async function replace(caller: Caller, { id }: ProjectRow, values: readonly string[]): Promise<readonly string[]> {
    const tags = trimmedTags('tags', values);
    await change(caller, async ({ tx, audit }) => {
      await lockToChange(tx, id);
      await replaceTags(tx, id, tags);
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
    /** Returns the tag as it is stored. */
    async add(caller: Caller, { id }: ProjectRow, value: string): Promise<string> {
      const tag = value.trim();
      if (tag === '' || value.length > 255 || /[,/]/.test(value))
        refuse('tag', 'it must have 1 to 255 characters, not only spaces, and no comma or slash');
      await change(caller, async ({ tx, audit }) => {
        const tags = await list(await lockToChange(tx, id), tx);
        if (tags.includes(tag)) refuse('tag', 'the project has this tag');
        if (tags.length >= MAX_TAGS) refuse('tag', `a project has at most ${MAX_TAGS} tags`);
        await addTag(tx, id, tag);
        audit('project.tag_added', { kind: 'project', id }, { tag });
      });
      return tag;
    },
    async remove(caller: Caller, { id }: ProjectRow, tag: string): Promise<void> {
      await change(caller, async ({ tx, audit }) => {
        await lockToChange(tx, id);
        if (!(await removeTag(tx, id, tag))) fail('project.tag_not_found', { tag });
        audit('project.tag_removed', { kind: 'project', id }, { tag });
      });
    },
  };
}

export type ProjectTags = ReturnType<typeof createTags>;
