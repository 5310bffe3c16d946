// The access token of a request for a credential: only one that was issued for credentials, bound to its key where it has one.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { resourceMetadata } from '../../../platform/http/index.ts';
import type { Access } from '../../access/context/index.ts';
import { fail } from '../../ground/faults.ts';
import { isAnonymousWallet } from '../../openid/first-party-clients/index.ts';
import { CREDENTIAL_SCOPE, DpopError, type DpopProofs } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';

export const ACCESS_TOKEN_MODEL = 'AccessToken';
const MAX_TOKEN = 512;

/** What a token allows. */
export interface CredentialAccess {
  readonly token: string;
  readonly userId: string;
  readonly clientId: string;
  /** The client as wallets name it in proofs; undefined if it did not say who it is. */
  readonly namedClient: string | undefined;
  /** The same after the token was refreshed. Null if it has none. */
  readonly authorizationId: string | null;
  /** Types of credentials, by scope. */
  readonly typeIds: readonly string[];
  /** Configurations, by authorization details or by an offer. */
  readonly configurationIds: readonly string[];
  /** Requests name a `credential_identifier` if the token response had some, and only then (OID4VCI, 8.2). */
  readonly hasIdentifiers: boolean;
}

export interface CredentialAccessDeps {
  readonly records: Pick<Records, 'findValid' | 'findByUid' | 'duringRequest'>;
  readonly access: Access;
  readonly proofs: DpopProofs;
  readonly isHaip: boolean;
  issuer(): string;
}

interface GrantedDetail {
  readonly credential_configuration_id: string;
  readonly credential_identifiers?: readonly string[];
}

export function createCredentialAccess({ records, access, proofs, isHaip, issuer }: CredentialAccessDeps) {
  const challenge = (scheme: 'Bearer' | 'DPoP', error: string) => ({
    headers: { 'WWW-Authenticate': `${scheme} error="${error}", ${resourceMetadata(issuer(), '')}` },
  });

  const refuse = (scheme: 'Bearer' | 'DPoP' = isHaip ? 'DPoP' : 'Bearer'): never =>
    fail('role_credential.invalid_token', undefined, challenge(scheme, 'invalid_token'));

  async function checkKey(
    headers: IncomingHttpHeaders,
    scheme: string,
    token: string,
    jkt: unknown,
    path: string,
  ): Promise<void> {
    const { dpop: proof } = headers;
    if (typeof jkt !== 'string') {
      // A proof beside a token without a key is a sign of a mixed-up client.
      if (scheme !== 'bearer' || proof !== undefined || isHaip) refuse();
      return;
    }
    if (scheme !== 'dpop') refuse('DPoP');
    const request = { method: 'POST', url: `${issuer()}${path}`, accessToken: token };
    try {
      if (typeof proof !== 'string' || (await proofs.check(proof, request)) !== jkt)
        throw new DpopError('it is missing, or of another key');
    } catch (error) {
      if (!(error instanceof DpopError)) throw error;
      fail('role_credential.invalid_dpop_proof', { why: error.message }, challenge('DPoP', 'invalid_dpop_proof'));
    }
  }

  /** A token that an application got in a session of a browser may end with it. */
  async function isSessionOver({
    expiresWithSession,
    sessionUid,
    accountId,
  }: Readonly<Record<string, unknown>>): Promise<boolean> {
    return expiresWithSession === true && (await records.findByUid(String(sessionUid)))?.accountId !== accountId;
  }

  return {
    /** The token is over. */
    refuse: (): never => refuse(),
    /** `path`: of the endpoint, which a DPoP proof names. */
    async of(headers: IncomingHttpHeaders, path: string): Promise<CredentialAccess> {
      const [scheme = '', token = '', ...rest] = (headers.authorization ?? '').split(' ');
      if (token === '' || token.length > MAX_TOKEN || rest.length > 0) return refuse();
      const { payload } = (await records.findValid(ACCESS_TOKEN_MODEL, token)) ?? refuse();
      const { accountId, clientId, aud, jkt, grantId } = payload;
      // Other tokens of the person, such as those of an application that they signed in to, are not good here.
      if (accountId === undefined || clientId === undefined || aud !== issuer() || (await isSessionOver(payload)))
        return refuse();
      // Bound to a certificate, which wallets do not have.
      if (payload['x5t#S256'] !== undefined) return refuse();
      await checkKey(headers, scheme.toLowerCase(), token, jkt, path);
      if (!(await access.read(accountId, { kind: 'unscoped' }))) return refuse();
      const details = (payload.rar ?? []) as readonly GrantedDetail[];
      const scopes = String(payload.scope ?? '').split(' ');
      return {
        token,
        userId: accountId,
        clientId,
        namedClient: isAnonymousWallet(clientId) ? undefined : clientId,
        // Hashed: that of an offer is made of its code.
        authorizationId: typeof grantId === 'string' ? createHash('sha256').update(grantId).digest('hex').slice(0, 32) : null,
        typeIds: scopes.filter((one) => one.startsWith(CREDENTIAL_SCOPE)).map((one) => one.slice(CREDENTIAL_SCOPE.length)),
        configurationIds: details.map((one) => one.credential_configuration_id),
        hasIdentifiers: details.some((one) => one.credential_identifiers !== undefined),
      };
    },
  };
}
