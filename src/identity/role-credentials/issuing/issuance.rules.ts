// Issues credentials: what a person has at this moment, to keys that their wallet has proved.
import type { IncomingHttpHeaders } from 'node:http';
import { newId } from '../../../platform/ids.ts';
import type { Throttle } from '../../../platform/limits/index.ts';
import { ISSUED_FORMATS } from '../../../verifiable/issuing/index.ts';
import type { CertificatePeriod } from '../../../verifiable/trust/index.ts';
import type { Actor, AuditAction, Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { createAccounts } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { IssuanceRecord, IssuedCredentials } from '../issued/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import type { CredentialType, CredentialTypes } from '../types/index.ts';
import type { Configurations, CredentialConfiguration } from './configurations.ts';
import { ACCESS_TOKEN_MODEL, type CredentialAccess, type createCredentialAccess } from './credential-access.ts';
import { readCredentialRequest, requestedConfiguration } from './credential-request.ts';
import type { CredentialMaker, ProfileClaims } from './credentials.ts';
import { encryptAnswer, type RequestEncryption } from './encryption.ts';
import type { KeyAttestations } from './key-attestations.ts';
import type { Nonces } from './nonces.ts';
import { type ProvenKeys, provenKeys } from './proofs.ts';

/** Requests of one person: each takes entries of status lists, which are free again only when the credentials have expired. */
export const ISSUANCE_LIMIT = { attempts: 60, perSeconds: 3600 };

const NOTIFICATION_MODEL = 'CredentialNotification';
const TOLD_MODEL = 'CredentialReceiptTold';
const NOTIFIED_MODEL = 'CredentialNotified';
const NOTIFICATION_SECONDS = 24 * 3600;
/** What wallets tell, and how it is written down. */
const EVENTS = new Map<unknown, AuditAction>([
  ['credential_accepted', 'issued_credential.accepted'],
  ['credential_failure', 'issued_credential.failure'],
  ['credential_deleted', 'issued_credential.deleted'],
]);

export interface IssuanceDeps extends Pick<Deps, 'clock' | 'change'> {
  readonly records: Records;
  readonly configurations: Configurations;
  readonly types: Pick<CredentialTypes, 'findIn'>;
  readonly access: ReturnType<typeof createCredentialAccess>;
  readonly encryption: RequestEncryption;
  readonly nonces: Nonces;
  readonly issued: Pick<IssuedCredentials, 'record'>;
  readonly maker: CredentialMaker;
  readonly identity: Pick<IssuerIdentity, 'chainPeriod'>;
  readonly limit: Throttle;
  readonly config: Pick<IdentityConfig, 'credentialBatchSize'>;
  readonly attestations: KeyAttestations;
  readonly accounts: Pick<ReturnType<typeof createAccounts>, 'find' | 'claims'>;
  issuer(): string;
  /** Called once for a token. `name`: of the type. */
  onIssued(change: Change, issued: { userId: string; clientId: string; name: string }): Promise<void>;
}

/** Where a request comes from, for the audit event. */
export interface RequestOrigin {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly requestId: string;
}

const MAX_USER_AGENT = 255;

const actorOf = (userId: string, { headers, address, requestId }: RequestOrigin): Actor => ({
  userId,
  requestId,
  origin: { address, user_agent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT) },
});

/** What a wallet gets: JSON, or JSON that only it can read. */
export type CredentialAnswer = { readonly body: object } | { readonly jwe: string };

export function createIssuance(deps: IssuanceDeps) {
  const { clock, change, records, configurations, types, access, encryption, nonces, issued, maker, limit, config } = deps;
  const { accounts } = deps;

  async function profileOf(userId: string, type: CredentialType, { organizations }: IssuanceRecord): Promise<ProfileClaims> {
    if (type.claims.length === 0) return {};
    const user = (await accounts.find(userId)) ?? fail('role_credential.denied', { why: 'the account is closed' });
    const values = { ...(await accounts.claims(user, type.applicationId, new Set())), organization: organizations };
    return Object.fromEntries(
      type.claims.flatMap((name) => {
        const value = (values as Readonly<Record<string, unknown>>)[name];
        return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]];
      }),
    );
  }

  /** The token, the nonces, the roles and the record of what is issued: one transaction, so that no credential is issued for a token or a role that has ended. */
  async function record(
    transaction: Change,
    { token, userId, clientId, authorizationId }: CredentialAccess,
    { type, format }: CredentialConfiguration,
    { keys, nonces: sent }: ProvenKeys,
    { from: notBefore, until: notAfter }: CertificatePeriod,
  ): Promise<{ readonly type: CredentialType; readonly recorded: IssuanceRecord; readonly notificationId: string }> {
    for (const nonce of sent) if (!(await nonces.use(transaction, nonce))) fail('role_credential.invalid_nonce');
    const issuanceId = newId();
    const keyThumbprints = keys.map(({ thumbprint }) => thumbprint);
    const what = { type, userId, format, keyThumbprints, issuanceId, clientId, authorizationId, notBefore, notAfter };
    const recorded = await issued.record(transaction, what);
    // Whoever takes something from the person's wallets waits by now, or is done: then the token may be over.
    if (!(await records.findIn(transaction, ACCESS_TOKEN_MODEL, token))) access.refuse();
    // Locked by now: what it says is what is issued.
    const current = await types.findIn(transaction.tx, type.id);
    if (!current?.formats.includes(format)) return fail('role_credential.denied', { why: 'its type has changed' });
    const notificationId = newId();
    const payload = { accountId: userId, issuanceId, typeId: type.id };
    await records.add(transaction, { model: NOTIFICATION_MODEL, id: notificationId, payload, lifetime: NOTIFICATION_SECONDS });
    // A wallet may fetch several credentials with one token. The person is told once.
    const told = { model: TOLD_MODEL, id: token, payload: { accountId: userId }, lifetime: NOTIFICATION_SECONDS };
    if (!recorded.isRefreshed && (await records.addOnce(transaction, told)))
      await deps.onIssued(transaction, { userId, clientId, name: current.name });
    return { type: current, recorded, notificationId };
  }

  return {
    /** What the access token of a request to this path allows. Refuses a request without a good one. */
    grantedBy: (headers: IncomingHttpHeaders, path: string): Promise<CredentialAccess> => access.of(headers, path),

    /** `body`: the request, or a JWE of it. */
    async credential(
      granted: CredentialAccess,
      origin: RequestOrigin,
      body: Readonly<Record<string, unknown>> | string,
    ): Promise<CredentialAnswer> {
      const isEncrypted = typeof body === 'string';
      const request = readCredentialRequest(
        isEncrypted ? await encryption.open(body) : body,
        config.credentialBatchSize,
        isEncrypted,
      );
      const configuration = await requestedConfiguration(configurations, granted, request);
      limit.take(granted.userId);
      const proven = await provenKeys(clock, request.proofs, {
        issuer: deps.issuer(),
        clientId: granted.namedClient,
        isGoodNonce: nonces.isGood,
        attestations: deps.attestations,
        maxKeys: config.credentialBatchSize,
      });
      if (!proven.keys.every(({ jwk }) => ISSUED_FORMATS[configuration.format].canBind(jwk)))
        fail('role_credential.invalid_proof', { why: 'its key is not one that this format can be bound to' });
      const period = await deps.identity.chainPeriod();
      await testPoint('issuance.before-transaction');
      const { type, recorded, notificationId } = await change(actorOf(granted.userId, origin), (transaction) =>
        record(transaction, granted, configuration, proven, period),
      );
      // Signed after it was recorded: no credential exists that cannot be revoked.
      const profile = await profileOf(granted.userId, type, recorded);
      const { userId } = granted;
      const content = { configuration: { ...configuration, type }, userId, profile, recorded };
      const credentials = await maker.make(content, proven.keys);
      const answer = {
        credentials: credentials.map((credential) => ({ credential })),
        notification_id: notificationId,
      };
      return request.encryption ? { jwe: await encryptAnswer(request.encryption, answer) } : { body: answer };
    },

    /** What became of it in the wallet (OID4VCI, 11). */
    async notification(
      { userId }: CredentialAccess,
      origin: RequestOrigin,
      body: Readonly<Record<string, unknown>>,
    ): Promise<void> {
      const { notification_id: id, event } = body;
      const action = EVENTS.get(event);
      if (typeof id !== 'string' || action === undefined)
        return fail('role_credential.invalid_notification', { why: 'notification_id or event is missing or not known' });
      const found = await records.find(NOTIFICATION_MODEL, id);
      // Also for a notification of somebody else.
      if (found?.accountId !== userId) return fail('role_credential.unknown_notification');
      // Wallets may repeat it (OID4VCI, 11.1). Each event is written down once.
      if (!(await records.save(NOTIFIED_MODEL, `${id} ${event}`, { accountId: userId }, NOTIFICATION_SECONDS, true))) return;
      await change(actorOf(userId, origin), async ({ audit }) =>
        audit(
          action,
          { kind: 'user', id: userId },
          { type_id: found.typeId, issuance_id: found.issuanceId },
          event === 'credential_failure' ? 'failure' : 'success',
        ),
      );
    },
  };
}

export type Issuance = ReturnType<typeof createIssuance>;
