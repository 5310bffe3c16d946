// How we are a client of a provider: what OpenID Connect leaves to choose. Stored as JSON beside its settings; nobody looks for them by it.
import { t } from '../../../platform/http/index.ts';
import {
  CLIENT_AUTHENTICATIONS,
  type ClientWay,
  PROFILES,
  REQUEST_FORMS,
  RESPONSE_MODES,
  SIGNING_ALGORITHMS,
  TOKEN_BINDINGS,
  USUAL_WAY,
} from '../../../platform/openid-client/index.ts';
import type { OpenidProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] => Object.keys(table) as Name[];
const STAYS = 'Without this field, the former value stays, if issuer and client are the same.';
const choice = <Name extends string>(table: Readonly<Record<Name, unknown>>, what: string) => ({
  ...t.oneOf(...namesOf(table)),
  description: `${what} ${STAYS}`,
});

/** On the wire. */
export const clientOptionFields = {
  profile: choice(
    PROFILES,
    'Rules that are kept as a whole. `fapi2`: the FAPI 2.0 Security Profile. What it leaves no choice about cannot be set to anything else, and the provider must name itself in its answers.',
  ),
  response_mode: choice(
    RESPONSE_MODES,
    'How the provider answers a sign-in: in the address that the browser returns to, or by a form that it posts there.',
  ),
  client_authentication: choice(
    CLIENT_AUTHENTICATIONS,
    'How the service proves itself to the provider: by its secret, or by a key of its own, which is published at `jwks_uri`. Without a secret, the first two are a public client.',
  ),
  signing_alg: choice(SIGNING_ALGORITHMS, 'Of the key of the service. Another one is another key.'),
  request_form: choice(
    REQUEST_FORMS,
    'How the request gets to the provider: in the address, pushed by the service itself (RFC 9126), or as a request object (RFC 9101) in the address or at an address of ours. A provider that requires pushed requests gets them.',
  ),
  token_binding: choice(TOKEN_BINDINGS, 'Whether tokens are bound to a key of the service (`dpop`, RFC 9449).'),
  claims_uri: t.nullable(
    t.string({
      minLength: 1,
      maxLength: 2048,
      description: `An API of the provider that is asked with the access token at each sign-in. What it answers, a JSON object, is among the claims as \`api\`. ${STAYS}`,
    }),
  ),
};

const NAMES = namesOf(USUAL_WAY);
type SaidWay = { readonly [Name in keyof ClientWay]?: ClientWay[Name] | undefined };

/** What a profile leaves no choice about is never stored, so that no later change can leave it out. */
export function optionsOf({ client_options: stored }: Pick<OpenidProviderRow, 'client_options'>): ClientWay {
  const said = { ...USUAL_WAY, ...(JSON.parse(stored) as Partial<ClientWay>) };
  return { ...said, ...PROFILES[said.profile].implied };
}

/** An https address, or one that the operator excepts: which it is, the outbound client knows. */
function checkClaimsUri(uri: string | null | undefined): void {
  const url = URL.parse(uri ?? 'https://none.invalid');
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.hash !== '')
    fail('request.bad_value', { field: 'claims_uri', why: 'it must be an https address without credentials and fragment' });
}

/** To be stored. What a caller does not know stays as it is; for another client at the provider it has to be given again. */
export function optionsToStore(
  said: SaidWay & Partial<Pick<OpenidProviderRow, 'issuer' | 'client_id'>> & { readonly accepts_tokens?: boolean | undefined },
  former: OpenidProviderRow | undefined,
): string {
  const isSame = former !== undefined && former.issuer === said.issuer && former.client_id === said.client_id;
  const before = isSame ? optionsOf(former) : USUAL_WAY;
  const way = Object.fromEntries(
    NAMES.map((name) => [name, said[name] === undefined ? before[name] : said[name]]),
  ) as unknown as ClientWay;
  const { implied, refused } = PROFILES[way.profile];
  for (const [name, value] of Object.entries(implied)) {
    const given = said[name as keyof ClientWay];
    if (given !== undefined && given !== value)
      fail('request.bad_value', { field: name, why: `the profile ${way.profile} is for ${value} only` });
  }
  if ((refused.signing_alg as readonly string[]).includes(way.signing_alg))
    fail('request.bad_value', { field: 'signing_alg', why: `it is too weak for the profile ${way.profile}` });
  // A token that anybody can send who has it.
  if (way.profile !== 'none' && said.accepts_tokens === true)
    fail('request.bad_value', { field: 'accepts_tokens', why: `the profile ${way.profile} has no tokens for whoever has them` });
  checkClaimsUri(way.claims_uri);
  const stored = NAMES.filter((name) => !(name in implied)).map((name) => [name, way[name]]);
  return JSON.stringify(Object.fromEntries(stored));
}
