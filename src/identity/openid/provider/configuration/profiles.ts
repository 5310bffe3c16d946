// What the profile of an application asks for beyond what the library is told of the client (FAPI 2.0): at the moment something is issued.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { PROFILE_ALGORITHMS, SECURITY_PROFILE } from '../../../applications/consumers/index.ts';
import type { OidcProviderLibrary } from '../library.ts';

type Client = NonNullable<KoaContextWithOIDC['oidc']['client']>;
type PromptCheck = InstanceType<OidcProviderLibrary['interactionPolicy']['Check']>;

export const hasProfile = (client: Client | undefined): boolean => client?.[SECURITY_PROFILE] !== undefined;

export const fapi = {
  enabled: true,
  profile: (_ctx: KoaContextWithOIDC, client: Client | undefined) => (hasProfile(client) ? '2.0' : undefined),
} satisfies NonNullable<Configuration['features']>['fapi'];

/** The algorithm of the proof that came with a request (RFC 9449). The library has verified it. */
function algorithmOfProof(ctx: KoaContextWithOIDC): unknown {
  const [header = ''] = ctx.get('DPoP').split('.', 1);
  try {
    return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown }).alg;
  } catch {
    return undefined;
  }
}

interface IssuedToken {
  readonly jkt?: string;
  readonly 'x5t#S256'?: string;
}

/** The last gate: whatever way led here, an application with a profile gets no token that is not bound. */
export function checkIssued({ errors }: OidcProviderLibrary, ctx: KoaContextWithOIDC, token: object): void {
  if (!hasProfile((token as { client?: Client }).client)) return;
  const { jkt, 'x5t#S256': certificate } = token as IssuedToken;
  if (jkt === undefined && certificate === undefined)
    throw new errors.InvalidGrant('tokens of this application are bound to a key or a certificate');
  if (jkt !== undefined && !PROFILE_ALGORITHMS.includes(String(algorithmOfProof(ctx))))
    throw new errors.InvalidDpopProof(`proofs of this application are signed with ${PROFILE_ALGORITHMS.join(', ')}`);
}

/** A sign-in that began before the application had its profile is not finished in the weaker way. */
export const begunWeaker = ({ interactionPolicy: { Check }, errors }: OidcProviderLibrary): PromptCheck =>
  new Check('begun_before_profile', 'the request does not fit the profile', 'invalid_request', ({ oidc }) => {
    const { client, params } = oidc;
    if (!hasProfile(client)) return Check.NO_NEED_TO_PROMPT;
    const mustBeSigned = client!.responseModes !== undefined;
    const isSigned = client!.responseModes?.includes(String(params?.response_mode)) === true;
    if (params?.code_challenge_method !== 'S256' || (mustBeSigned && !isSigned))
      throw new errors.InvalidRequest('the request does not fit the security profile of the application');
    return Check.NO_NEED_TO_PROMPT;
  });
