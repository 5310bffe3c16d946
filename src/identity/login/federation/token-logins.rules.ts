// Logging in at the API with a token that a provider signed for us. In Keystone a module of the web server checks such tokens.
import type { Clock } from '../../../platform/clock.ts';
import type { Gate } from '../../../platform/limits/index.ts';
import { isNonEmptyString, readBearerToken } from '../../../platform/openid-client/index.ts';
import type { DelegationRef } from '../../access/context/index.ts';
import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { Fault } from '../../ground/faults.ts';
import { REMEMBERED_SECONDS } from './api-sessions.rules.ts';
import { OPENID, type ProviderAssertion } from './assertion.ts';
import { findUsableProvider } from './openid-settings.store.ts';
import type { ProviderClients } from './provider-clients.ts';
import type { ProviderLogins } from './provider-login.rules.ts';

export interface TokenLoginDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly clientOf: ProviderClients;
  readonly logins: Pick<ProviderLogins, 'create'>;
  readonly users: Pick<Users, 'find'>;
  readonly gate: Gate;
}

/** Who has a token of a provider. */
export interface ProviderTokenHolder {
  readonly user: UserWithExpiry;
  /** What the new token depends on. */
  readonly delegation: DelegationRef;
  /** When the person authenticated at the provider (milliseconds); 0 if it does not say. */
  readonly loginAt: number;
}

const refused = (error: unknown): never => {
  // The person is at the provider, and not here. Strangers do not learn why.
  if (error instanceof Fault && error.code === 'identity_provider.no_entry') throw loginRefused(error.reason ?? error.code);
  throw error;
};

/** So old that a logout since would not be known. */
const isForgotten = ({ iat }: ProviderAssertion['claims']): boolean =>
  typeof iat !== 'number' || iat < Date.now() / 1000 - REMEMBERED_SECONDS;

export function createTokenLogins({ db, clock, clientOf, logins, users, gate }: TokenLoginDeps) {
  async function assertionOf(providerId: string, protocolId: string, token: string): Promise<ProviderAssertion | undefined> {
    const row = protocolId === OPENID ? await findUsableProvider(db.read, OPENID, providerId) : undefined;
    if (row?.accepts_tokens !== 1) return undefined;
    const verified = await readBearerToken(clientOf(row).verify, { issuer: row.issuer, clientId: row.client_id }, token);
    if (!verified || isForgotten(verified.claims)) return undefined;
    const { sid } = verified.claims;
    return {
      providerId,
      protocol: OPENID,
      version: row.version,
      ...verified,
      sid: isNonEmptyString(sid) ? sid : undefined,
      idToken: token,
      refreshToken: undefined,
      expiresAt: undefined,
      at: clock.now(),
      beginsSession: false,
    };
  }

  /** Never in the future. A provider that does not say it may have asked long ago. */
  function loginTimeOf({ claims: { auth_time: at } }: ProviderAssertion): number {
    return typeof at === 'number' && Number.isFinite(at) && at > 0 ? Math.min(Math.floor(at * 1000), clock.now()) : 0;
  }

  return {
    /** The person of a token: the linked account, or a new one. All refusals look alike. */
    async holderOf(
      { providerId, protocolId }: { readonly providerId: string; readonly protocolId: string },
      token: string | undefined,
      attempt: LoginAttempt,
    ): Promise<ProviderTokenHolder> {
      const { requestId, subject } = attempt;
      gate.checkSecret(attempt, undefined);
      const assertion = token === undefined ? undefined : await assertionOf(providerId, protocolId, token);
      if (!assertion) {
        gate.wrongSecret(attempt, undefined);
        throw loginRefused('no valid token of a provider whose tokens are accepted');
      }
      const { userId, providerSession } = await logins.create(requestId, assertion).catch(refused);
      if (subject) subject.userId = userId;
      const user = await users.find(userId);
      if (!user) throw loginRefused('the user was deleted while they logged in');
      return { user, delegation: { kind: 'federation', id: providerSession! }, loginAt: loginTimeOf(assertion) };
    },
  };
}

export type TokenLogins = ReturnType<typeof createTokenLogins>;
