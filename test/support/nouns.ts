// One of each noun, made by the example of its definition (src/identity/nouns.ts).
import { exampleId, type Noun } from '../../src/identity/access/noun/index.ts';
import type { NounName } from '../../src/identity/ground/noun-names.ts';
import { allNouns } from '../../src/identity/nouns.ts';

/** By their names. */
export type MadeNouns = Record<NounName, any>;

/** The id that it has in examples. */
export const exampleIdOf = ({ one, examples }: Noun<NounName>): unknown => examples.id ?? examples.create.id ?? exampleId(one);

/** The example of a request for a new one, with the ids of those that were made, and this id for one whose id clients choose. */
export function newOne(noun: Noun<NounName>, made: Partial<MadeNouns>, id: unknown = exampleIdOf(noun)) {
  const ids = new Map(allNouns.map((other) => [exampleIdOf(other), other === noun ? id : made[other.one]?.id]));
  const { identifier } = noun.examples.create;
  // Another unique name that clients choose: the address of an API.
  if (identifier !== undefined && id !== exampleIdOf(noun)) ids.set(identifier, `${identifier}/${id}`);
  const body: object = JSON.parse(JSON.stringify({ [noun.one]: noun.examples.create }), (_, value) => ids.get(value) ?? value);
  return noun.isOnlyPut ? { method: 'PUT', path: `${noun.path}/${id}`, body } : { method: 'POST', path: noun.path, body };
}

/** `send` answers with the body. */
export async function makeNouns(
  send: (method: string, path: string, body: object) => Promise<any>,
  idOf?: () => string,
): Promise<MadeNouns> {
  const made: Partial<MadeNouns> = {};
  for (const noun of allNouns) {
    const { method, path, body } = newOne(noun, made, idOf?.());
    made[noun.one] = (await send(method, path, body))[noun.one];
  }
  return made as MadeNouns;
}

/** `/v3/policies/:policy_id` */
export const itemPath = ({ path, parameter }: Noun<NounName>): string => `${path}/:${parameter}`;

/** `POST /v3/policies` */
export const creationRoute = (noun: Noun<NounName>): string => (noun.isOnlyPut ? `PUT ${itemPath(noun)}` : `POST ${noun.path}`);
