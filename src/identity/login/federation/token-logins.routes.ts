// /v3/OS-FEDERATION/identity_providers/{idp}/protocols/{protocol}/auth: a token of a provider for a token of ours.
import { Answer, type Call } from '../../../platform/http/index.ts';
import { PROVIDER_TOKEN } from '../../access/context/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import { type AuthRules, TokenReply, type TokenText } from '../tokens/index.ts';
import type { TokenLogins } from './token-logins.rules.ts';

export interface TokenLoginRouteDeps {
  readonly federation: { readonly tokenLogins: TokenLogins };
  readonly auth: Pick<AuthRules, 'logInByProvider'>;
  readonly tokenText: TokenText;
}

const PATH = '/v3/OS-FEDERATION/identity_providers/:idp_id/protocols/:protocol_id/auth';

const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];

export function mountTokenLogins(app: IdentityApp, { federation, auth, tokenText }: TokenLoginRouteDeps): void {
  const spec = {
    tag: 'Federation',
    rule: 'anyone',
    access: PROVIDER_TOKEN,
    documentation: {
      replyHeaders: { 'X-Subject-Token': 'The token.' },
    },
    reply: { 201: TokenReply },
  } as const;

  type AuthCall = Pick<Call<Caller>, 'headers' | 'address' | 'requestId' | 'signal'> & {
    readonly params: { readonly idp_id: string; readonly protocol_id: string };
  };
  async function logIn({ params, headers, address, requestId, signal }: AuthCall): Promise<Answer> {
    const from = { providerId: params.idp_id, protocolId: params.protocol_id };
    const bearer = bearerOf(headers.authorization);
    const { text, record, authContext } = await auth.logInByProvider(
      (attempt) => federation.tokenLogins.holderOf(from, bearer, attempt),
      {
        address,
        requestId,
        signal,
      },
    );
    const body = await tokenText(record, authContext, true);
    return new Answer({ status: 201, headers: { 'X-Subject-Token': text }, ...body });
  }

  app.get(
    PATH,
    {
      ...spec,
      id: 'logInByProvider',
      summary: 'Log in with a token of an identity provider',
      description:
        'The header `Authorization` has `Bearer` and an ID token, or an access token that is a JWT, that the provider issued to our client. Answers with an unscoped token in `X-Subject-Token`, which can be exchanged for others at `POST /v3/auth/tokens`. Whoever comes for the first time gets an account by the mapping of the protocol. The provider must accept tokens (`accepts_tokens` of its OpenID settings). All refusals are the same 401.',
    },
    logIn,
  );
  app.post(
    PATH,
    {
      ...spec,
      id: 'logInByProviderByPost',
      summary: 'Log in with a token of an identity provider, by POST',
      description: 'As by GET. The body is ignored.',
    },
    logIn,
  );
}
