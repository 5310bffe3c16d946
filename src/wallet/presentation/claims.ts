// Which claims of a credential a query asks for (OpenID4VP, 6.4 and 7). Ours, and not the library's: that one copies a list for
// each of its elements, and a list made for it would stop the node for seconds.

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

/** Values looked at in one credential. Real ones have some dozens; one that needs more than this does not answer. */
const MAX_STEPS = 50_000;
/** What has a name costs more than what has a number. */
const NAME_STEPS = 9;
/** More places than this cannot be held back one by one (formats/disclosures.ts), and nobody reads a longer list of them. */
const MAX_MATCHING_PATHS = 1000;

export const keyOf = (path: ClaimPath): string => JSON.stringify(path);
const distinct = (paths: readonly ClaimPath[]): ClaimPath[] => [...new Map(paths.map((path) => [keyOf(path), path])).values()];

/** Work that ends: all that is done for one credential is counted. */
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

  /** Everything below a value is shown with it, and somebody has to go through it then. */
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
 * Where a claim is. Of a list only the elements that have one of the values: the others were not asked for. And only what the
 * credential itself has, not what every object has. A value of null is as good as none.
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
 * The paths of the first claim set that fits; none when nothing is named: then nothing that can be held back is shown. Undefined
 * when the credential does not answer.
 */
export function createClaimMatcher({
  claims = [],
  claim_sets: sets,
}: ClaimsQuery): (content: unknown) => readonly ClaimPath[] | undefined {
  const all = claims.map(({ path, values }) => ({ path, values: values && new Set(values) }));
  const indexById = new Map(claims.map(({ id }, at) => [id, at]));
  const options = sets ? sets.map((set) => set.map((id) => indexById.get(id)!)) : [[...claims.keys()]];
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
    // Whoever shows it goes through all of it.
    if (option) steps.takeAll(content);
    if (!option || steps.isExhausted) return undefined;
    return distinct(option.flatMap(pathsTo));
  };
}
