// The names of the nouns: kinds of things of the API that one definition tells (access/noun/noun.ts). What is below their modules follows from
// this list: the rules of access, the fault that there is no such thing, versions. ../nouns.ts has the definitions. Nobody’s roles depend on
// a noun, so that a change of one revokes no credential (role-credentials/issued/revocation.rules.ts).
import type { Tables } from './database/index.ts';

export interface NounNames {
  /** In the path and in lists. It is also the name of the table. */
  readonly many: keyof Tables;
  /** In texts of faults, if it differs. */
  readonly title?: string;
  /** Everybody with a token reads it, not only administrators and readers of the system. */
  readonly isOpen?: true;
}

export const NOUN_NAMES = {
  region: { many: 'regions', isOpen: true },
  service: { many: 'services' },
  endpoint: { many: 'endpoints' },
  endpoint_group: { many: 'endpoint_groups', title: 'Endpoint Group' },
  policy: { many: 'policies' },
  api: { many: 'apis', title: 'API' },
  service_provider: { many: 'service_providers', title: 'service provider' },
} as const satisfies Record<string, NounNames>;

/** The name of one: in paths, envelopes, rules, faults and audit events. */
export type NounName = keyof typeof NOUN_NAMES;
export type TableOf<One extends NounName> = (typeof NOUN_NAMES)[One]['many'];
export type TitleOf<One extends NounName> = (typeof NOUN_NAMES)[One] extends { title: infer Title extends string } ? Title : One;
