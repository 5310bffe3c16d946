// How we are a client of a provider: what OpenID Connect leaves to choose. Stored as JSON beside its settings; nobody looks for them by it.
import { type Static, t } from '../../../platform/http/index.ts';
import { RESPONSE_MODES } from '../../../platform/openid-client/index.ts';
import type { OpenidProviderRow } from '../../ground/database/index.ts';

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] => Object.keys(table) as Name[];
const STAYS = 'Without this field, the former value stays, if issuer and client are the same.';

/** On the wire. */
export const clientOptionFields = {
  response_mode: {
    ...t.oneOf(...namesOf(RESPONSE_MODES)),
    description: `How the provider answers a sign-in: in the address that the browser returns to, or by a form that it posts there. ${STAYS}`,
  },
};

type Fields = typeof clientOptionFields;
export type ClientOptions = { readonly [Name in keyof Fields]: Static<Fields[Name]> };

const USUAL: ClientOptions = { response_mode: 'query' };
const NAMES = namesOf(USUAL);

export const optionsOf = ({ client_options: stored }: Pick<OpenidProviderRow, 'client_options'>): ClientOptions => ({
  ...USUAL,
  ...(JSON.parse(stored) as Partial<ClientOptions>),
});

/** To be stored. What a caller does not know stays as it is; for another client at the provider it has to be given again. */
export function optionsToStore(
  said: { readonly [Name in keyof ClientOptions]?: ClientOptions[Name] | undefined } & Pick<
    OpenidProviderRow,
    'issuer' | 'client_id'
  >,
  former: OpenidProviderRow | undefined,
): string {
  const isSame = former?.issuer === said.issuer && former.client_id === said.client_id;
  const before = isSame ? optionsOf(former) : USUAL;
  return JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, said[name] ?? before[name]])));
}
