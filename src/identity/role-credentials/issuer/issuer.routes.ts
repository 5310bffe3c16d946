// /.well-known/did.json and /.well-known/jwt-vc-issuer, for everybody; /v3/OS-ROLE-CREDENTIALS/issuer, for those who set up verifiers
import { isoTime } from '../../../platform/clock.ts';
import { Answer } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { didDocumentOf, issuerMetadataOf } from './documents.ts';
import { DidDocument, IssuerEnvelope, JwtVcIssuer } from './issuer.schema.ts';
import type { IssuerIdentity } from './issuer.ts';
import type { VerifierKeys } from './verifier.ts';

const tag = 'Role credentials';

/** Short: a key is announced an hour before it signs. Pages of any origin may verify credentials. */
export const PUBLISHED = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' } as const;

export interface IssuerModules {
  readonly issuerIdentity: IssuerIdentity;
  readonly verifierKeys: Pick<VerifierKeys, 'shown'>;
}

export function mountIssuer(app: IdentityApp, { issuerIdentity, verifierKeys }: IssuerModules): void {
  app.get(
    '/.well-known/did.json',
    {
      id: 'getIssuerDidDocument',
      summary: 'Show the DID document of the issuer of credentials',
      description: 'Its did:web. There is one if the address of the service is https with the name of a host and no path.',
      tag,
      rule: 'anyone',
      documentation: { otherTypes: ['application/did+json'] },
      reply: { 200: DidDocument },
    },
    async ({ headers }) => {
      const did = issuerIdentity.did() ?? fail('issuer.no_did', undefined, { headers: PUBLISHED });
      const type = headers.accept?.includes('application/did+json') ? 'application/did+json' : 'application/json';
      return new Answer({
        headers: { ...PUBLISHED, 'Content-Type': type, Vary: 'Accept' },
        text: JSON.stringify(didDocumentOf(did, await issuerIdentity.publicKeys())),
      });
    },
  );
  app.get(
    '/.well-known/jwt-vc-issuer',
    {
      id: 'getIssuerKeys',
      summary: 'Show the keys of the issuer of credentials',
      description: 'As verifiers of SD-JWT VCs read them.',
      tag,
      rule: 'anyone',
      reply: { 200: JwtVcIssuer },
    },
    async () => new Answer({ headers: PUBLISHED, body: await issuerMetadataOf(issuerIdentity) }),
  );
  app.get(
    '/v3/OS-ROLE-CREDENTIALS/issuer',
    {
      id: 'getCredentialIssuer',
      summary: 'Show the issuer of credentials',
      description:
        'What verifiers need to trust: its DID, its certificate chain, and the root if it is one for development; and the chain of requests, which wallets need to trust.',
      tag,
      rule: 'get_credential_issuer',
      reply: { 200: IssuerEnvelope },
    },
    async () => {
      const root = (await issuerIdentity.anchor()) ?? null;
      const asking = await verifierKeys.shown();
      return {
        issuer: {
          id: issuerIdentity.id(),
          did: issuerIdentity.did() ?? null,
          is_for_development: root !== null,
          chain: [...(await issuerIdentity.chain())],
          chain_expires_at: isoTime((await issuerIdentity.chainPeriod()).until * 1000),
          root,
          verifier: {
            is_for_development: asking.anchor !== undefined,
            chain: [...asking.chain],
            chain_expires_at: isoTime(asking.until * 1000),
            root: asking.anchor ?? null,
          },
          keys: [...(await issuerIdentity.publicKeys())],
        },
      };
    },
  );
}
