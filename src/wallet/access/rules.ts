// Who may do what in the wallet node. A wallet is its owner's alone, so there is little to decide: a request sees and changes what
// its caller owns (owners.store.ts), and nothing else exists for it.
import type { App, Target } from '../../platform/http/index.ts';
import { fail } from '../faults.ts';
import type { Caller } from './caller.ts';
import { NODE } from './owners.store.ts';

/** What a rule decides by. */
export interface Facts {
  /** Whose the thing is. What the caller does not have is asked about as theirs: it does not exist for them. */
  readonly owner?: string;
}

type Rule = (caller: Caller, facts: Facts) => boolean;

const own: Rule = (caller, { owner }) => owner === caller.owner;
const ofTheNode: Rule = (_caller, { owner }) => owner === NODE;

const rules = {
  /** Everyone who is signed in, about all that is theirs: lists, and what is to be made. */
  signed_in: () => true,
  /** About one thing of theirs. */
  owner: own,
  /** Keys and DIDs: an administrator manages the node's own as well. */
  owner_or_administrator: (caller, facts) => own(caller, facts) || (ofTheNode(caller, facts) && caller.isAdministrator),
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

export type WalletApp = App<Caller, RuleName, Facts>;
/** What a route of this service is about. */
export type WalletTarget<Thing> = Target<Facts, Thing>;

/** Asked by the server before it calls a handler. */
export function authorize(rule: string, caller: Caller, facts: unknown): void {
  if (!rules[rule as RuleName](caller, (facts ?? {}) as Facts)) fail('forbidden', { why: 'it is for the owner of a wallet' });
}

interface TargetLookup<Row> {
  /** The rule of the routes that are about it. It is looked for only among what that allows: what is another's does not exist. */
  readonly rule: RuleName;
  readonly kind: string;
  find(owner: string): Promise<Row | undefined>;
}

/** A thing by its row, if the caller has one. */
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
