// Who may call an operation, in words: those of its rule (access/rules/personas.ts).
import type { Action } from '../../../src/identity/access/rules/index.ts';
import { givesSecretBy, whoPasses } from '../../../src/identity/access/rules/policy.ts';

/** `administrators, readers of the system, and the user concerned` */
function listed(all: readonly string[]): string {
  if (all.length < 3) return all.join(', and ');
  return `${all.slice(0, -1).join(', ')}, and ${all.at(-1)}`;
}

export function whoMay(action: Action): string {
  const how = givesSecretBy(action) ? ' Not with an application credential, a trust or an OAuth1 token.' : '';
  return `Who may call it: ${listed(whoPasses(action))}.${how}`;
}
