// Logins at the API with tokens of a provider. The tokens that come of a login name its row in `provider_sessions`, and are valid while it is there. A
// row that was deleted never comes back: a later login gets another one. So tokens end for good with what they came from.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { VerifiedLogout } from '../../../platform/openid-client/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { loginRefused } from '../../directory/logins/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { OPENID, type ProviderAssertion } from './assertion.ts';
import { lockIdentityProvider, providersOfMapping } from './identity-providers.store.ts';
import {
  deleteApiSessionsOf,
  findApiSession,
  insertProviderSession,
  lastLogout,
  rememberLogout,
  updateProviderSessionIn,
} from './provider-sessions.store.ts';

/** For how long a logout is remembered. A provider's token that is older logs in nobody. */
export const REMEMBERED_SECONDS = 7 * 86_400;
/** Replicas may differ about the time. The row must not end before the last token that names it. */
const MARGIN_SECONDS = 3600;

export const sidHashOf = (issuer: string, sid: string): string => hashOf('sid', issuer, sid);

const hashOf = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

interface ProviderSessionName {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

const keysOf = (providerId: string, { issuer, subject = '', sid = '' }: ProviderSessionName) => ({
  session: hashOf('signed out session', providerId, issuer, sid),
  person: hashOf('signed out person', providerId, issuer, subject),
  /** What names no session may be of the one that ended. */
  unnamed: hashOf('signed out somewhere', providerId, issuer, subject),
});

export interface ApiSessionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: { readonly tokenSeconds: number; readonly allowExpiredSeconds: number };
}

export function createApiSessions({ db, clock, config }: ApiSessionDeps) {
  const now = (): number => seconds(clock);

  /** In whole seconds, by the provider's clock: how long after the last logout it signed what it says. NaN if it does not say when. */
  async function sinceLogout({ tx }: Change, assertion: ProviderAssertion): Promise<number> {
    const { session, person, unnamed } = keysOf(assertion.providerId, assertion);
    const last = await lastLogout(tx, [person, assertion.sid === undefined ? unnamed : session]);
    const { iat } = assertion.claims;
    if (last === undefined) return Number.POSITIVE_INFINITY;
    return typeof iat === 'number' ? Math.floor(iat) - last : Number.NaN;
  }

  /** What was signed in the second of the logout may be older than it. */
  async function checkLogouts(transaction: Change, assertion: ProviderAssertion): Promise<void> {
    if (!((await sinceLogout(transaction, assertion)) > 0))
      throw loginRefused('the provider signed the person out after it issued the token');
  }

  async function endOf(transaction: Change, providerId: string): Promise<void> {
    await deleteApiSessionsOf(transaction.tx, providerId);
    transaction.invalidate(tagOf.identityProvider(providerId));
  }

  return {
    /** The same for a person at a browser, whom the provider may let in again in that second. */
    wasSignedOut: async (transaction: Change, assertion: ProviderAssertion): Promise<boolean> =>
      !((await sinceLogout(transaction, assertion)) >= 0),

    /** In the transaction of the login, which holds the provider. Returns the id. Fails when the provider's token is older than a logout. */
    async begin(transaction: Change, linkId: string, assertion: ProviderAssertion): Promise<string> {
      await checkLogouts(transaction, assertion);
      const { tx } = transaction;
      const sid_hash = assertion.sid === undefined ? null : sidHashOf(assertion.issuer, assertion.sid);
      // Services may ask about tokens that expired.
      const expires_at = now() + config.tokenSeconds + config.allowExpiredSeconds + MARGIN_SECONDS;
      // The user is locked, so that two logins do not make two. Many logins of one session share what is cached about it.
      const known = await findApiSession(tx, linkId, sid_hash, now());
      if (known) {
        await updateProviderSessionIn(tx, known.id, { expires_at: Math.max(expires_at, known.expires_at) });
        return known.id;
      }
      const id = newId();
      const none = { session_hash: null, sealed: null, refresh_at: null };
      await insertProviderSession(tx, { id, link_id: linkId, sid_hash, ...none, for_api: 1, created_at: now(), expires_at });
      return id;
    },

    /** The provider's tokens that were issued until then log in nobody any more. The provider is locked. */
    async signOut({ tx }: Change, providerId: string, logout: VerifiedLogout): Promise<void> {
      const { session, person, unnamed } = keysOf(providerId, logout);
      const keys = [
        ...(logout.sid === undefined ? [] : [session]),
        ...(logout.subject === undefined ? [] : [logout.sid === undefined ? person : unnamed]),
      ];
      for (const key of keys) await rememberLogout(tx, key, logout.issuedAt, now() + REMEMBERED_SECONDS);
    },

    /** When the provider is trusted less, or who comes through it is decided otherwise: people log in again. It is locked. */
    endOf,

    /** The same for all providers with this mapping; locks them. */
    async endOfMapping(transaction: Change, mappingId: string): Promise<void> {
      for (const providerId of await providersOfMapping(transaction.tx, OPENID, mappingId)) {
        await lockIdentityProvider(db, transaction.tx, providerId);
        await endOf(transaction, providerId);
      }
    },
  };
}

export type ApiSessions = ReturnType<typeof createApiSessions>;
