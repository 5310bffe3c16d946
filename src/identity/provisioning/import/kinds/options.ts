// Options of users, projects and roles.
import { parseJson } from '../../../ground/resource/index.ts';

/** For what merges them: those that the source has not are removed. */
export function optionChanges(
  stored: string,
  wanted: Readonly<Record<string, unknown>> | undefined = {},
): Readonly<Record<string, unknown>> {
  const before = Object.keys(parseJson(stored)).map((name) => [name, null] as const);
  return { ...Object.fromEntries(before), ...wanted };
}
