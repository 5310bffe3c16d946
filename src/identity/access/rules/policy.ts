// Who may do what: Keystone's default policy, by its names, for the personas admin, manager, member and reader.
// Each route names its rule. The server evaluates it before the handler, with facts about the target of the request. A missing
// target has no facts, so only callers who may see everything get a 404.

import type { App, Target } from '../../../platform/http/index.ts';
import { fail } from '../../ground/faults.ts';
import { DEFAULT_DOMAIN } from '../context/index.ts';
import { baseRules } from './base-rules.ts';
import type { Caller } from './caller.ts';
import { extensionRules } from './extension-rules.ts';
import { admin, EVERYBODY, type Facts, type Rule, scopeDomain } from './personas.ts';

const rules = { ...baseRules, ...extensionRules } as const;

/** Has the role `admin` in the scope of the token, whichever that is. */
export const isAdministrator = (caller: Caller): boolean => admin(caller, {});

export type Action = keyof typeof rules;

/** Whether the rule is for what makes or shows a secret that lasts: then what was passed on to a program is not enough. */
export const givesSecretBy = (action: Action): boolean => 'givesSecret' in rules[action];

/** Who passes the rule, in words. */
export const whoPasses = (action: Action): readonly string[] => (rules[action] as Rule).who;

/** Everybody with a token passes; the rule refuses nobody. */
export const isForEverybody = (action: Action): boolean => whoPasses(action).includes(EVERYBODY) && !givesSecretBy(action);

export type IdentityApp = App<Caller, Action, Facts>;
/** The target of a route of this service. */
export type IdentityTarget<Thing> = Target<Facts, Thing>;

/**
 * As Keystone with its scopes enforced: it looks for these before it asks the rule, and tells everybody that there is no such thing. The ids
 * are random.
 */
const SAYS_MISSING: readonly string[] = [
  'identity:update_domain',
  'identity:delete_group',
  'identity:get_role',
  'identity:update_role',
  'identity:delete_role',
  'identity:get_endpoint',
  'identity:update_endpoint',
  'identity:delete_endpoint',
  'identity:ec2_get_credential',
  'identity:ec2_delete_credential',
];

/** Called by the server before the handler. */
export function authorize(rule: string, caller: Caller, facts: unknown, get?: () => unknown): void {
  const known = (facts ?? {}) as Facts;
  const mayProceed = isAllowed(caller, rule as Action, known);
  if (!mayProceed && known.isMissing && caller.authContext.enforcesScope && SAYS_MISSING.includes(rule)) get?.();
  // This API answers 401 instead of 403.
  if (!mayProceed && rule === 'OS-SCIM:administer') fail('auth.required', undefined, { reason: 'not an administrator' });
  if (!mayProceed) fail('auth.forbidden', { action: rule });
}

/** The target of a request by its row, which may be missing. */
export const targetOf = <Row>(row: Row | undefined, factsOf: (row: Row) => Facts, missing: () => never): IdentityTarget<Row> => ({
  facts: row === undefined ? { isMissing: true } : factsOf(row),
  get: () => row ?? missing(),
});

/** For requests without a single target that still have facts: lists, and things to be created. */
export const factsOnly = (facts: Facts): IdentityTarget<undefined> => ({ facts, get: () => undefined });

export const isAllowed = (caller: Caller, action: Action, target: Facts = {}): boolean => rules[action](caller, target);

/** Fails with 403 unless the action is allowed. */
export function permit(caller: Caller, action: Action, target: Facts = {}): void {
  if (!isAllowed(caller, action, target)) fail('auth.forbidden', { action });
}

/** The domain a list is limited to; undefined for all. A domain-scoped token sees only its domain, even an administrator's. */
export function visibleDomain(caller: Caller): string | undefined {
  return scopeDomain(caller);
}

/** The domain of something new. */
export const domainOfNew = (caller: Caller, requested: string | undefined): string =>
  requested ?? visibleDomain(caller) ?? DEFAULT_DOMAIN;

/** Target of a request that creates something in a domain. */
export const domainTarget = (domainId: string): IdentityTarget<string> => ({ facts: { domainId }, get: () => domainId });

/** Facts of a list: the domain the token is scoped to, if any. */
export const listFacts = (caller: Caller): Facts => ({ domainId: scopeDomain(caller) ?? null });
