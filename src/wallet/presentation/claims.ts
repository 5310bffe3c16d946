// Matches the claims of a credential against a query (OpenID4VP, 6.4 and 7). The library is not used, because it copies a list for
// each of its elements, so a malicious list would block the node for seconds.

export type ClaimPath = readonly (string | number | null)[];

export interface RequestedClaim {
  readonly id?: string;
  readonly path: ClaimPath;
  readonly values?: readonly unknown[];
}

export interface ClaimsQuery {
  readonly claims?: readonly RequestedClaim[];
  readonly claim_sets?: readonly (readonly string[])[];
}

/** Maximum number of values visited in one credential. Real credentials have some dozens. Beyond that it does not match. */
const MAX_STEPS = 50_000;
/** Object members cost more than list items. */
const NAME_STEPS = 9;
/** Maximum number of matching paths. A credential has at most this many disclosures (formats/disclosures.ts). */
const MAX_MATCHING_PATHS = 1000;

export const keyOf = (path: ClaimPath): string => JSON.stringify(path);
const distinct = (paths: readonly ClaimPath[]): ClaimPath[] => [...new Map(paths.map((path) => [keyOf(path), path])).values()];

/** Counts and limits the work for one credential. */
class StepBudget {
  #left = MAX_STEPS;
  #matches = 0;

  get isExhausted(): boolean {
    return this.#left < 0;
  }

  take(): boolean {
    return --this.#left >= 0;
  }

  takeMatch(): void {
    if (++this.#matches > MAX_MATCHING_PATHS) this.#left = -1;
  }

  /** Counts everything below a value, because all of it is processed when it is shown. */
  takeAll(value: unknown): void {
    for (const open = [value]; open.length > 0 && this.take(); ) {
      const one = open.pop();
      if (typeof one !== 'object' || one === null) continue;
      const inner = Object.values(one);
      if (!Array.isArray(one)) this.#left -= NAME_STEPS * inner.length;
      for (const value of inner) open.push(value);
    }
  }
}

/**
 * The paths of a claim. With `values`, only list elements that have one of them. Inherited properties do not count, and null
 * counts as absent.
 */
function matchingPaths(
  path: ClaimPath,
  values: ReadonlySet<unknown> | undefined,
  claims: unknown,
  steps: StepBudget,
): ClaimPath[] {
  const found: ClaimPath[] = [];
  function follow(value: unknown, at: number, prefix: ClaimPath): void {
    if (!steps.take()) return;
    if (at === path.length) {
      if (values ? !values.has(value) : value === null || value === undefined) return;
      steps.takeAll(value);
      if (!values && found.length > 0) return;
      steps.takeMatch();
      found.push(prefix);
      return;
    }
    const step = path[at] as string | number | null;
    const isList = Array.isArray(value);
    if (typeof step === 'string' ? isList || typeof value !== 'object' || value === null : !isList) return;
    if (step === null)
      for (const [index, one] of (value as unknown[]).entries()) {
        if (steps.isExhausted) return;
        follow(one, at + 1, [...prefix, index]);
      }
    else if (Object.hasOwn(value as object, step))
      follow((value as Record<string | number, unknown>)[step], at + 1, [...prefix, step]);
  }
  follow(claims, 0, []);
  return values || found.length === 0 ? found : [path];
}

/**
 * Returns the paths of the first matching claim set, or of the set at `chosen`. The list is empty if the query names no claims: then no selectively
 * disclosable claim is shown. Undefined if the credential does not match.
 */
export function createClaimMatcher(
  { claims = [], claim_sets: sets }: ClaimsQuery,
  chosen?: number,
): (content: unknown) => readonly ClaimPath[] | undefined {
  const all = claims.map(({ path, values }) => ({ path, values: values && new Set(values) }));
  const indexById = new Map(claims.map(({ id }, at) => [id, at]));
  const eligible = chosen === undefined ? sets : sets?.slice(chosen, chosen + 1);
  const options = eligible ? eligible.map((set) => set.map((id) => indexById.get(id)!)) : [[...claims.keys()]];
  return (content) => {
    const steps = new StepBudget();
    const cache = new Map<number, ClaimPath[]>();
    function pathsTo(at: number): ClaimPath[] {
      const { path, values } = all[at]!;
      const paths = cache.get(at) ?? matchingPaths(path, values, content, steps);
      cache.set(at, paths);
      return paths;
    }
    const option = options.find((one) => one.every((at) => pathsTo(at).length > 0));
    // Presenting the credential processes all of it.
    if (option) steps.takeAll(content);
    if (!option || steps.isExhausted) return undefined;
    return distinct(option.flatMap(pathsTo));
  };
}
