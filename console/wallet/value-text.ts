// What a claim of a credential says, as text for people.
import { shared } from '../shared/words/index.ts';
import { readableText } from './strangers.ts';

/** `given_name` → `given name`. */
export const readable = (step: string | number | null): string =>
  step === null ? '*' : typeof step === 'number' ? String(step + 1) : readableText(step.replaceAll('_', ' '));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface RolesEntry {
  readonly names: readonly string[];
  readonly target: string;
  readonly application?: unknown;
}

/** Roles in one application, as Gatehouse and FIWARE write them into credentials. */
const isRoles = (value: object): value is RolesEntry =>
  'target' in value &&
  typeof value.target === 'string' &&
  'names' in value &&
  Array.isArray(value.names) &&
  value.names.every((name) => typeof name === 'string') &&
  Object.keys(value).every((name) => ['target', 'names', 'application'].includes(name));

/** Such as `Berths: Pilot`. An application without a name is told by what verifiers know it by, unless nobody can read that. */
function rolesText({ names, target, application }: RolesEntry): string {
  const where = typeof application === 'string' ? application : /^[0-9a-f-]{32,36}$/.test(target) ? undefined : target;
  return where === undefined ? names.join(', ') : `${where}: ${names.join(', ')}`;
}

/** It may be long: pages shorten it where there is little room. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return readableText(value);
  if (typeof value === 'boolean') return value ? shared.yes : shared.no;
  if (Array.isArray(value)) return value.map(valueText).join(value.some(isObject) ? '; ' : ', ');
  if (isObject(value) && isRoles(value)) return rolesText(value);
  if (isObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${readable(name)}: ${valueText(one)}`)
      .join(', ');
  return String(value ?? '–');
}
