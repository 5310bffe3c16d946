// The credential issuer (OID4VCI 1.0): metadata, nonces, credentials, notifications, and offers that wallets fetch.
import type { IncomingHttpHeaders } from 'node:http';
import {
  Answer,
  exampleOfResource,
  ProtectedResource,
  protectedResource,
  protectedResourcePath,
  t,
} from '../../../platform/http/index.ts';
import { ACCESS_TOKEN } from '../../access/context/index.ts';
import type { IdentityApp, IdentityTarget } from '../../access/rules/index.ts';
import { OAuthError } from '../../ground/resource/index.ts';
import type { CredentialCatalog } from '../../openid/provider/index.ts';
import type { CredentialAccess } from './credential-access.ts';
import type { Issuance } from './issuance.rules.ts';
import type { IssuerMetadata } from './metadata.ts';
import type { Nonces } from './nonces.ts';
import type { Offers } from './offers.rules.ts';
import { CREDENTIAL, ISSUER_METADATA, NONCE, NOTIFICATION, OFFERS } from './paths.ts';
import {
  CredentialIssuerMetadata,
  CredentialReply,
  CredentialRequestBody,
  FetchedOffer,
  NonceReply,
  NotificationBody,
} from './role-credentials.schema.ts';

const tag = 'Role credentials';
const JWT = 'application/jwt';
const METADATA_SECONDS = 60;

export interface RoleCredentialRouteDeps {
  readonly roleCredentials: {
    readonly catalog: Pick<CredentialCatalog, 'scopes'>;
    readonly metadata: IssuerMetadata;
    readonly nonces: Nonces;
    readonly issuance: Issuance;
    readonly offers: Offers;
  };
}

/** Whether a client asks for the signed form. JSON is what it gets without a wish. */
const wantsJwt = (accept: string | undefined): boolean => /\bapplication\/jwt\b/i.test(accept ?? '');

export function mountCredentialIssuer(app: IdentityApp, modules: RoleCredentialRouteDeps): void {
  /** Routes with an access token for credentials. It is checked before the body is looked at. */
  const withAccessToken = (path: string) => ({
    rule: 'anyone' as const,
    access: ACCESS_TOKEN,
    target: async ({ headers }: { readonly headers: IncomingHttpHeaders }): Promise<IdentityTarget<CredentialAccess>> => {
      const granted = await modules.roleCredentials.issuance.grantedBy(headers, path);
      return { facts: {}, get: () => granted };
    },
  });

  app.get(
    ISSUER_METADATA,
    {
      id: 'getCredentialIssuerMetadata',
      summary: 'Show the metadata of the credential issuer',
      description: 'OID4VCI 1.0, 12.2. Signed, if the client accepts application/jwt.',
      tag,
      rule: 'anyone',
      // Wallets in browsers call it, too.
      forEveryOrigin: true,
      documentation: { otherTypes: [JWT] },
      reply: { 200: CredentialIssuerMetadata },
    },
    async ({ headers }) => {
      const caching = { Vary: 'Accept', 'Cache-Control': `public, max-age=${METADATA_SECONDS}` };
      const { metadata } = modules.roleCredentials;
      if (!wantsJwt(headers.accept)) return new Answer({ headers: caching, body: await metadata.read() });
      return new Answer({ headers: { ...caching, 'Content-Type': JWT }, text: await metadata.signed() });
    },
  );

  app.get(
    protectedResourcePath(''),
    {
      id: 'getResourceMetadata',
      summary: 'Show whose access tokens the credential endpoint takes',
      description: 'RFC 9728. A refusal (401) names this address.',
      tag,
      rule: 'anyone',
      forEveryOrigin: true,
      documentation: exampleOfResource('', 'Credentials', ['role_credential.harbour-keeper']),
      reply: { 200: ProtectedResource },
    },
    async ({ base }) => protectedResource(base, '', 'Credentials', await modules.roleCredentials.catalog.scopes()),
  );

  app.post(
    NONCE,
    {
      id: 'getCredentialNonce',
      summary: 'Get a nonce for key proofs',
      description: 'OID4VCI 1.0, 7. It is good once, for five minutes.',
      tag,
      rule: 'anyone',
      forEveryOrigin: true,
      onlyReads: true,
      // There is nothing in the body. Wallets that say that this nothing is a form get theirs, too.
      form: true,
      documentation: { error: OAuthError },
      reply: { 200: NonceReply },
    },
    () => new Answer({ headers: { 'Cache-Control': 'no-store' }, body: { c_nonce: modules.roleCredentials.nonces.make() } }),
  );

  app.post(
    CREDENTIAL,
    {
      id: 'issueCredential',
      summary: 'Issue a credential to a wallet',
      description:
        'OID4VCI 1.0, 8. The access token is one for credentials. The body may be encrypted to the key of the metadata (application/jwt).',
      tag,
      ...withAccessToken(CREDENTIAL),
      forEveryOrigin: true,
      jwt: true,
      body: t.open({}),
      documentation: { body: CredentialRequestBody, error: OAuthError, otherTypes: [JWT] },
      reply: { 200: CredentialReply },
    },
    async (call) => {
      const { jwt } = call.body as { jwt?: unknown };
      const isEncrypted = /^application\/jwt\b/i.test(call.headers['content-type'] ?? '');
      const answer = await modules.roleCredentials.issuance.credential(call.target, call, isEncrypted ? String(jwt) : call.body);
      return 'body' in answer ? answer.body : new Answer({ headers: { 'Content-Type': JWT }, text: answer.jwe });
    },
  );

  app.post(
    NOTIFICATION,
    {
      id: 'reportIssuedCredential',
      summary: 'Report what became of an issued credential',
      description: 'OID4VCI 1.0, 11. The access token is that of the credential.',
      tag,
      ...withAccessToken(NOTIFICATION),
      forEveryOrigin: true,
      body: t.open({}),
      documentation: { body: NotificationBody, error: OAuthError },
      reply: { 204: null },
    },
    async (call) => {
      await modules.roleCredentials.issuance.notification(call.target, call, call.body);
    },
  );

  app.get(
    `${OFFERS}/:offer_id`,
    {
      id: 'getCredentialOffer',
      summary: 'Show a credential offer',
      description: 'OID4VCI 1.0, 4.1.3. For the wallet that has scanned it, until it is used.',
      tag,
      rule: 'anyone',
      forEveryOrigin: true,
      documentation: { error: OAuthError },
      reply: { 200: FetchedOffer },
    },
    ({ params }) => modules.roleCredentials.offers.find(params.offer_id),
  );
}
