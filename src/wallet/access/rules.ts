// Authorization rules. A wallet belongs to one owner: a request can only see and change what its caller owns (owners.store.ts).
import type { App, Target } from '../../platform/http/index.ts';
import { fail } from '../ground/faults.ts';
import type { Caller } from './caller.ts';
import { NODE } from './owners.store.ts';

/** What a rule decides by. */
export interface Facts {
  /** The owner of the target. For a target that was not found it is the caller, so that the answer is 404 and not 403. */
  readonly owner?: string;
}

type Rule = (caller: Caller, facts: Facts) => boolean;

const own: Rule = (caller, { owner }) => owner === caller.owner;
const ofTheNode: Rule = (_caller, { owner }) => owner === NODE;

const rules = {
  /** Any signed-in caller, for their own wallet: lists and creation. */
  signed_in: () => true,
  /** The owner of the target. */
  owner: own,
  /** For keys and DIDs: an administrator may also manage those of the node. */
  owner_or_administrator: (caller, facts) => own(caller, facts) || (ofTheNode(caller, facts) && caller.isAdministrator),
  /** An administrator of the node. */
  administrator: (caller) => caller.isAdministrator,
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

export type WalletApp = App<Caller, RuleName, Facts>;
/** The target of a route of this service. */
export type WalletTarget<Thing> = Target<Facts, Thing>;

/** Asked by the server before it calls a handler. */
export function authorize(rule: string, caller: Caller, facts: unknown): void {
  if (!rules[rule as RuleName](caller, (facts ?? {}) as Facts))
    fail('forbidden', {
      why: rule === 'administrator' ? 'it is for administrators of the node' : 'it is for the owner of a wallet',
    });
}

interface TargetLookup<Row> {
  /** The rule of the route. Only owners that the rule allows are searched. */
  readonly rule: RuleName;
  readonly kind: string;
  find(owner: string): Promise<Row | undefined>;
}

/** Finds the target among the rows the caller may access. */
export async function targetFor<Row extends { readonly owner: string }>(
  caller: Caller,
  { rule, kind, find }: TargetLookup<Row>,
): Promise<WalletTarget<Row>> {
  for (const owner of new Set([caller.owner, NODE])) {
    const row = rules[rule](caller, { owner }) ? await find(owner) : undefined;
    if (row) return { facts: { owner: row.owner }, get: () => row };
  }
  return { facts: { owner: caller.owner }, get: () => fail('not-found', { kind }) };
}
