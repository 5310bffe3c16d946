// /openid/clients: applications register themselves (RFC 7591) and manage their registration (RFC 7592).
import { Answer, type Call } from '../../../platform/http/index.ts';
import { APPLICATION } from '../../access/context/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { OAuthError } from '../../ground/resource/index.ts';
import { CLIENTS_PATH, clientInformation } from './client-information.ts';
import type { ClientRegistration } from './client-registration.rules.ts';
import { AnyMetadata, ClientChanges, ClientInformation, ClientMetadata } from './client-registration.schema.ts';
import type { Stranger } from './deps.ts';

const tag = 'OpenID';
const one = `${CLIENTS_PATH}/:client_id` as const;
const BODY_LIMIT = 16 * 1024;
const NOT_STORED = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

const strangerOf = ({ address, requestId, headers }: Pick<Call<unknown>, 'address' | 'requestId' | 'headers'>): Stranger => ({
  address,
  requestId,
  userAgent: headers['user-agent'] ?? '',
  authorization: headers.authorization,
});

export function mountClientRegistration(
  app: IdentityApp,
  { clientRegistration }: { readonly clientRegistration: ClientRegistration },
): void {
  const answer = (status: number, base: string, { row, accessToken }: Awaited<ReturnType<ClientRegistration['show']>>) =>
    new Answer({ status, headers: NOT_STORED, body: clientInformation(row, base, accessToken) });
  const shared = { tag, rule: 'anyone', access: APPLICATION, forEveryOrigin: true } as const;

  app.post(
    CLIENTS_PATH,
    {
      ...shared,
      id: 'registerClient',
      summary: 'Register the calling application',
      description:
        'RFC 7591, where the policy of a domain allows it. `Authorization: Bearer` carries a token that an administrator or a manager of the domain made; without one, the policy must be open. What the policy does not allow is left out of the answer.',
      bodyLimit: BODY_LIMIT,
      body: AnyMetadata,
      documentation: {
        body: ClientMetadata,
        error: OAuthError,
        query: { domain_id: 'Without a token: the domain whose people the application is for.' },
      },
      reply: { 201: ClientInformation },
    },
    async (call) => {
      const { domain_id: domainId } = call.query;
      const named = typeof domainId === 'string' ? domainId : undefined;
      return answer(201, call.base, await clientRegistration.register(strangerOf(call), call.body, named));
    },
  );
  app.get(
    one,
    {
      ...shared,
      id: 'getClient',
      summary: 'Show the registration of the calling application',
      description: 'RFC 7592, with the registration access token.',
      documentation: { error: OAuthError },
      reply: { 200: ClientInformation },
    },
    async (call) => answer(200, call.base, await clientRegistration.show(strangerOf(call), call.params.client_id)),
  );
  app.put(
    one,
    {
      ...shared,
      id: 'replaceClient',
      summary: 'Replace the registration of the calling application',
      description:
        'RFC 7592. Everything that is not said is as in a new registration. The answer has another registration access token; the one before ends.',
      bodyLimit: BODY_LIMIT,
      body: AnyMetadata,
      documentation: { body: ClientChanges, error: OAuthError },
      reply: { 200: ClientInformation },
    },
    async (call) => answer(200, call.base, await clientRegistration.change(strangerOf(call), call.params.client_id, call.body)),
  );
  app.delete(
    one,
    {
      ...shared,
      id: 'deleteClient',
      summary: 'Delete the registration of the calling application',
      description: 'RFC 7592. All that people allowed it ends, with its tokens.',
      documentation: { error: OAuthError },
      reply: { 204: null },
    },
    (call) => clientRegistration.remove(strangerOf(call), call.params.client_id),
  );
}
