// The enforcement models of Keystone: which limits may stand beside each other.
import { fail } from '../../ground/faults.ts';

export const LIMIT_MODELS = {
  flat: 'Limit enforcement and validation does not take project hierarchy into consideration.',
  strict_two_level: 'This model requires project hierarchy never exceeds a depth of two',
} as const;

/** A limit as the strict model sees it: of a domain, or of a project in it. */
export interface LimitInTree {
  readonly registeredLimitId: string;
  readonly domainId: string;
  /** Undefined for the limit of the domain itself. */
  readonly projectId: string | undefined;
  readonly amount: number;
}

const UNLIMITED = -1;
const isMore = (one: number, other: number): boolean => other !== UNLIMITED && (one === UNLIMITED || one > other);

/**
 * A project may not have more than its domain. `requested`: the limits of a request. `stored`: those of the same resources in the same domains.
 * `defaultOf`: what a domain may use that has no limit of its own.
 */
export function checkStrictModel(
  requested: readonly LimitInTree[],
  stored: readonly LimitInTree[],
  defaultOf: (registeredLimitId: string) => number,
): void {
  const keyOf = ({ registeredLimitId, domainId, projectId }: LimitInTree): string =>
    [registeredLimitId, domainId, projectId].join(' ');
  const all = new Map([...stored, ...requested].map((limit) => [keyOf(limit), limit]));
  for (const limit of requested) {
    const { registeredLimitId, domainId, projectId, amount } = limit;
    if (projectId !== undefined) {
      const ofDomain = all.get(keyOf({ ...limit, projectId: undefined }))?.amount ?? defaultOf(registeredLimitId);
      if (isMore(amount, ofDomain)) fail('limit.breaks_model', { kind: 'project', id: projectId });
      continue;
    }
    const below = [...all.values()].filter(
      (other) => other.projectId !== undefined && other.domainId === domainId && other.registeredLimitId === registeredLimitId,
    );
    if (below.some((other) => isMore(other.amount, amount))) fail('limit.breaks_model', { kind: 'domain', id: domainId });
  }
}
