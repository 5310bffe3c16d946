// Claims of a credential by their paths (OID4VP 1.0, 7): names, and null at the end for the elements of a list.

export type ClaimPath = readonly (string | null)[];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined when it is not there. A list without elements has none. */
export function claimAt(value: unknown, [name, ...rest]: ClaimPath): unknown {
  if (name === undefined) return value;
  if (name === null) return Array.isArray(value) && value.length > 0 ? value : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? claimAt(value[name], rest) : undefined;
}

/** Whether a path of names is that of a value that another path selects, or of a part of it. */
export const isWithin = (names: readonly string[], path: ClaimPath): boolean =>
  path.every((name, at) => name === null || names[at] === name);

/** Only what is at these paths. */
export function onlyAt(claims: Readonly<Record<string, unknown>>, paths: readonly ClaimPath[]): Record<string, unknown> {
  const byName = Map.groupBy(
    paths.filter((path) => claimAt(claims, path) !== undefined),
    ([name]) => name!,
  );
  return Object.fromEntries(
    [...byName].map(([name, own]) => {
      const rests = own.map((path) => path.slice(1));
      const value = claims[name];
      const isWhole = rests.some((rest) => rest.length === 0 || rest[0] === null);
      return [name, isWhole ? value : onlyAt(value as Record<string, unknown>, rests)];
    }),
  );
}
