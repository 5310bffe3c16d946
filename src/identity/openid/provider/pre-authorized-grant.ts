// The grant of a credential offer: a pre-authorized code (OID4VCI, 6.1). Its person has agreed before, so nobody signs in. Any wallet may
// send it, also one that is not registered; the transaction code, which the person gets on another way, says that it is their wallet.
import { timingSafeEqual } from 'node:crypto';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Access } from '../../access/context/index.ts';
import { PRE_AUTHORIZED, ROOT } from '../paths/index.ts';
import type { RecordPayload, Records } from '../records/index.ts';
import { type CredentialRequestDeps, credentialDetail, credentialServer, identifiedDetails } from './credential-requests.ts';
import { DpopError, type DpopProofs } from './dpop-proofs.ts';
import type { OidcProviderLibrary } from './library.ts';

/** The record of a code. */
export const PRE_AUTHORIZED_MODEL = 'PreAuthorizedCode';
/** The record of an offer that wallets fetch, by the id in its address. */
export const OFFER_MODEL = 'CredentialOffer';

/** Attempts with a transaction code, right or wrong: a code of six digits is not found in five. */
export const TX_CODE_ATTEMPTS = 5;
const ATTEMPT_MODEL = 'TransactionCodeAttempt';
const ATTEMPT_SECONDS = 24 * 3600;

/** What the record of a code has beside its person. */
export interface PreAuthorization {
  readonly configurationIds: readonly string[];
  readonly txCode?: string;
  readonly offerId: string;
}

export interface PreAuthorizedDeps extends CredentialRequestDeps {
  readonly records: Records;
  readonly access: Access;
  readonly proofs: DpopProofs;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

export function registerPreAuthorizedGrant(provider: Provider, library: OidcProviderLibrary, deps: PreAuthorizedDeps): void {
  const { records, access, proofs, issuer } = deps;
  const { errors } = library;
  const refusal = (why: string) => new errors.CustomOIDCProviderError('invalid_grant', why);

  /** Counted before the code is compared, so that concurrent attempts count, too. */
  async function countAttempt(code: string, accountId: string): Promise<void> {
    for (let attempt = 1; attempt <= TX_CODE_ATTEMPTS; attempt++)
      if (await records.save(ATTEMPT_MODEL, `${code} ${attempt}`, { accountId }, ATTEMPT_SECONDS, true)) return;
    await records.consume(PRE_AUTHORIZED_MODEL, code);
    throw refusal('the transaction code was wrong too often');
  }

  async function checkTxCode(code: string, { txCode, accountId }: RecordPayload, sent: unknown): Promise<void> {
    if (txCode === undefined) {
      if (sent !== undefined) throw new errors.InvalidRequest('the offer has no transaction code');
      return;
    }
    if (sent === undefined) throw new errors.InvalidRequest('the transaction code is missing');
    await countAttempt(code, accountId!);
    if (!isEqual(text(txCode), text(sent))) throw refusal('the transaction code is wrong');
  }

  /** First: a proof is stored when it is used, and anybody can make one. Whoever has no code stores nothing. */
  async function checkKnown(code: string): Promise<void> {
    if (!(await records.find(PRE_AUTHORIZED_MODEL, code))?.accountId)
      throw refusal('the code is not known, or the offer has ended');
  }

  async function thumbprintOf(ctx: KoaContextWithOIDC): Promise<string | undefined> {
    const proof = ctx.get('DPoP');
    if (proof === '') return undefined;
    try {
      return await proofs.check(proof, { method: 'POST', url: `${issuer}${ROOT}/token` });
    } catch (error) {
      if (error instanceof DpopError) throw new errors.InvalidDpopProof(error.message);
      throw error;
    }
  }

  /** Each code once. Whoever comes second gets nothing, and what the first got ends: one of them is not the person's wallet. */
  async function redeem(code: string, sent: unknown, asked: unknown) {
    const found = await records.find(PRE_AUTHORIZED_MODEL, code);
    if (!found?.accountId) throw refusal('the code is not known, or the offer has ended');
    if (found.consumed !== undefined) {
      await records.revokeGrant(grantIdOf(code));
      throw refusal('the code was used before');
    }
    const { configurationIds, offerId } = found as RecordPayload & PreAuthorization;
    // Who does not ask in this way gets no identifiers, and names configurations (OID4VCI, 8.2).
    const details =
      asked === undefined ? configurationIds.map(credentialDetail) : identifiedDetails(library, configurationIds, asked);
    await checkTxCode(code, found, sent);
    if (!(await access.read(found.accountId, { kind: 'unscoped' }))) throw refusal('the account is closed');
    if (!(await records.consume(PRE_AUTHORIZED_MODEL, code))) throw refusal('the code was used before');
    await records.destroy(OFFER_MODEL, offerId);
    return { accountId: found.accountId, details };
  }

  provider.registerGrantType(
    PRE_AUTHORIZED,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      const { 'pre-authorized_code': code, tx_code: txCode, authorization_details: asked } = params as Record<string, unknown>;
      const server = await credentialServer(library, deps, ctx);
      await checkKnown(text(code));
      const thumbprint = await thumbprintOf(ctx);
      const { accountId, details } = await redeem(text(code), txCode, asked);
      const grant = new provider.Grant({ accountId, clientId: client.clientId, jti: grantIdOf(text(code)) } as never);
      const token = new provider.AccessToken({
        accountId,
        client,
        grantId: await grant.save(),
        gty: 'pre-authorized_code',
        rar: details,
      } as never);
      token.resourceServer = new provider.ResourceServer(issuer, server);
      if (thumbprint !== undefined) token.setThumbprint('jkt', thumbprint);
      ctx.body = {
        access_token: await token.save(),
        expires_in: token.expiration,
        token_type: token.tokenType,
        ...(asked === undefined ? {} : { authorization_details: details }),
      };
    },
    ['pre-authorized_code', 'tx_code', 'authorization_details'],
  );
}

/** The grant of a code, so that it is found when the code comes again. */
const grantIdOf = (code: string): string => `pre-authorized ${code}`;
