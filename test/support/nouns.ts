// One of each noun, made by the example of its definition (src/identity/catalog/nouns.ts).
import { exampleId, type Noun } from '../../src/identity/access/noun/index.ts';
import { allNouns } from '../../src/identity/catalog/nouns.ts';
import type { NounName } from '../../src/identity/ground/noun-names.ts';

/** By their names. */
export type MadeNouns = Record<NounName, any>;

/** The id that it has in examples. */
export const exampleIdOf = ({ one, examples }: Noun<NounName>): unknown => examples.create.id ?? exampleId(one);

/** The example of a request for a new one, with the ids of those that were made, and this id for one that brings its own. */
export function newOne(noun: Noun<NounName>, made: Partial<MadeNouns>, id: unknown = exampleIdOf(noun)): object {
  const ids = new Map(allNouns.map((other) => [exampleIdOf(other), other === noun ? id : made[other.one]?.id]));
  return JSON.parse(JSON.stringify({ [noun.one]: noun.examples.create }), (_, value) => ids.get(value) ?? value);
}

/** `post` answers with the body. */
export async function makeNouns(post: (path: string, body: object) => Promise<any>, idOf?: () => string): Promise<MadeNouns> {
  const made: Partial<MadeNouns> = {};
  for (const noun of allNouns) made[noun.one] = (await post(noun.path, newOne(noun, made, idOf?.())))[noun.one];
  return made as MadeNouns;
}

/** `/v3/policies/:policy_id` */
export const itemPath = ({ path, one }: Noun<NounName>): string => `${path}/:${one}_id`;
