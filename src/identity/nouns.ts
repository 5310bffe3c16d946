// All nouns, by their names: what follows from their definitions is made here. The compiler asks for those that are in NOUN_NAMES. One that
// refers to another comes after it.
import { mountNoun, type Noun, type NounDeps, type Nouns, nounRules } from './access/noun/index.ts';
import type { IdentityApp } from './access/rules/index.ts';
import { api } from './applications/apis/index.ts';
import { endpointGroup } from './catalog/endpoint-filter/index.ts';
import { policy } from './catalog/policies/index.ts';
import { endpoint, region, service } from './catalog/services/index.ts';
import type { NounName } from './ground/noun-names.ts';
import { serviceProvider } from './login/federation/index.ts';

export const NOUNS: { readonly [One in NounName]: Noun<One> } = {
  region,
  service,
  endpoint,
  endpoint_group: endpointGroup,
  policy,
  api,
  service_provider: serviceProvider,
};

/** The types of their rows differ; what is made of them does not. */
export const allNouns = Object.values(NOUNS) as unknown as readonly Noun<NounName>[];

export const createNouns = (deps: NounDeps): Nouns =>
  Object.fromEntries(allNouns.map((noun) => [noun.one, nounRules(noun, deps)])) as unknown as Nouns;

export function mountNouns(app: IdentityApp, { nouns }: { readonly nouns: Nouns }): void {
  for (const noun of allNouns) mountNoun(app, noun, nouns);
}
