// Asks the service before anything is changed whether the caller may make every change.
import type { Client } from './client.ts';
import { definitionOf, labelOf } from './kinds/index.ts';
import type { Change } from './model.ts';
import { pathId, type State } from './state.ts';

/** Only administrators may. Whoever may do this may do everything. */
const ADMINISTRATORS_RULE = 'identity:create_region';

async function allowed(client: Client, query: string): Promise<ReadonlySet<string>> {
  const { body } = await client.get(`/v3/auth/OS-ACCESS/allowed${query}`);
  return new Set(body.allowed as string[]);
}

/** The changes that the caller may not make. About things that do not exist yet nobody can be asked; the service decides when they do. */
export async function refusedChanges(state: State, changes: readonly Change[]): Promise<string[]> {
  const { client } = state;
  if (changes.length === 0 || (await allowed(client, '')).has(ADMINISTRATORS_RULE)) return [];
  const answers = new Map<string, Promise<ReadonlySet<string>>>();
  const refused = await client.each(changes, async (change) => {
    const definition = definitionOf(change.kind);
    const subject = Object.entries(definition.subject?.(change, (kind, key) => state.idOf(kind, key)) ?? {});
    if (subject.some(([, id]) => id === undefined)) return undefined;
    const query = subject.map(([name, id], index) => `${index === 0 ? '?' : '&'}${name}=${pathId(id!)}`).join('');
    const answer = answers.get(query) ?? allowed(client, query);
    answers.set(query, answer);
    const rule = definition.rule(change.action, change.key);
    return (await answer).has(rule) ? undefined : `you may not ${change.action} ${labelOf(change)} (${rule})`;
  });
  return refused.filter((one) => one !== undefined);
}
