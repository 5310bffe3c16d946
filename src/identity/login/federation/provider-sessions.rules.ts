// Sessions that began with a sign-in through a provider. They last as long as the provider confirms the person.

import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { AttemptOrigin, Gate } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { isGrantRevoked, LEEWAY_SECONDS, readLogoutToken, USED_MS } from '../../../platform/openid-client/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { type DelegationRef, tagOf } from '../../access/context/index.ts';
import { type Change, type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import { hashOfSession } from '../../ground/resource/index.ts';
import { type ApiSessions, sidHashOf } from './api-sessions.rules.ts';
import { OPENID, type ProviderAssertion } from './assertion.ts';
import type { EntitlementRules } from './entitlements.rules.ts';
import { lockIdentityProvider } from './identity-providers.store.ts';
import { findOpenidSettings, findUsableProvider } from './openid-settings.store.ts';
import type { ProviderClients } from './provider-clients.ts';
import {
  bindProviderSession,
  claimRefresh,
  deleteAllSessionsOf,
  deleteEnded,
  deleteProviderSessions,
  findLiveSession,
  insertProviderSession,
  type LiveSession,
  liveSessionsOf,
  type SessionSelection,
  updateProviderSession,
  useLogoutToken,
} from './provider-sessions.store.ts';

const REFRESH_EARLY_SECONDS = 60;
/** After the provider did not answer. Until then its sessions go on. */
const REFRESH_AGAIN_SECONDS = 60;
/** A provider that says nothing about the life of its tokens is asked this often. */
const REFRESH_SECONDS = 600;
/** How precisely the end of a session is stored, to save writes. */
const EXTENSION_SECONDS = 3600;
/** For a sign-in that is not finished. */
const UNBOUND_SECONDS = 3600;
const SWEPT_AT_ONCE = 1000;

export interface ProviderSessionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly log: Log;
  readonly seal: Seal;
  readonly gate: Gate;
  readonly clientOf: ProviderClients;
  readonly entitlements: Pick<EntitlementRules, 'needsProof'>;
  readonly apiSessions: Pick<ApiSessions, 'signOut'>;
  readonly config: { readonly sessionSeconds: number; readonly refreshTokenSeconds: number };
  /** Ends the sessions here, and their tokens; applications are told. */
  endSessions(transaction: Change, userId: string, sessionHashes: readonly string[]): Promise<void>;
}

/** What is stored sealed: to ask the provider about the person. */
interface RefreshMaterial {
  readonly refreshToken: string;
  readonly idToken: string;
}

const sealContext = (id: string): string => `provider_sessions/${id}`;

async function liveHashesOf(
  { db, entitlements }: ProviderSessionDeps,
  userId: string,
  now: number,
): Promise<ReadonlySet<string>> {
  const live = new Set<string>();
  const byLink = Map.groupBy(await liveSessionsOf(db.read, userId, now), ({ link_id: link }) => link);
  for (const own of byLink.values())
    if (!(await entitlements.needsProof(db.read, own[0]!, own[0]!))) for (const one of own) live.add(one.session_hash!);
  return live;
}

export function createProviderSessions(deps: ProviderSessionDeps) {
  const { db, clock, change, log, seal, gate, clientOf, entitlements, apiSessions, config, endSessions } = deps;
  const lifetime = (): number => Math.max(config.sessionSeconds, config.refreshTokenSeconds);
  const now = (): number => seconds(clock);

  const sealed = (id: string, material: RefreshMaterial): string =>
    seal.seal(Buffer.from(JSON.stringify(material)), sealContext(id));

  function refreshTimeOf(expiresAt: number | undefined): number {
    if (expiresAt === undefined) return now() + REFRESH_SECONDS;
    const left = Math.floor((expiresAt - Date.now()) / 1000);
    return now() + Math.max(left - REFRESH_EARLY_SECONDS, Math.floor(left / 2), 0);
  }

  /** In the transaction of the sign-in. Returns its id. */
  async function begin({ tx }: Change, linkId: string, assertion: ProviderAssertion): Promise<string> {
    const id = newId();
    const { refreshToken, idToken, issuer, sid, expiresAt } = assertion;
    await insertProviderSession(tx, {
      id,
      link_id: linkId,
      session_hash: null,
      sid_hash: sid === undefined ? null : sidHashOf(issuer, sid),
      sealed: refreshToken === undefined ? null : sealed(id, { refreshToken, idToken }),
      refresh_at: refreshToken === undefined ? null : refreshTimeOf(expiresAt),
      for_api: 0,
      created_at: now(),
      expires_at: now() + UNBOUND_SECONDS,
    });
    return id;
  }

  async function end(transaction: Change, selection: SessionSelection): Promise<number> {
    const ended = await deleteProviderSessions(transaction.tx, selection);
    for (const [userId, own] of Map.groupBy(ended, (one) => one.userId)) {
      const hashes = own.flatMap(({ sessionHash }) => sessionHash ?? []);
      if (hashes.length > 0) await endSessions(transaction, userId, hashes);
      for (const { id } of own) transaction.invalidate(tagOf.delegation({ kind: 'federation', id }));
    }
    return ended.length;
  }

  /** Whoever came to manage others since, and has not proved that the account is theirs, signs in again. */
  async function findLive(uid: string): Promise<LiveSession | undefined> {
    const session = await findLiveSession(db.read, hashOfSession(uid), now());
    return session && !(await entitlements.needsProof(db.read, session, session)) ? session : undefined;
  }

  const endUnconfirmed = (session: LiveSession): Promise<void> =>
    change(serviceActor, async (transaction) => {
      await end(transaction, { providerId: session.provider_id, id: session.id });
      const detail = { identity_provider_id: session.provider_id };
      transaction.audit('session.ended_by_provider', { kind: 'user', id: session.user_id }, detail);
    });

  /** False when the provider says that the person is gone. One that does not answer ends nothing. */
  async function refresh(session: LiveSession): Promise<boolean> {
    const { id, provider_id: providerId, subject } = session;
    const row = await findUsableProvider(db.read, OPENID, providerId);
    if (!row) return false;
    if (!(await claimRefresh(db, session, now() + REFRESH_AGAIN_SECONDS))) return true;
    try {
      const { refreshToken, idToken } = JSON.parse(seal.open(session.sealed!, sealContext(id)).toString()) as RefreshMaterial;
      const grant = await clientOf(row).provider.refresh({ refreshToken, idToken, subject, claims: {} });
      await updateProviderSession(db, id, {
        sealed: sealed(id, { refreshToken: grant.refreshToken ?? refreshToken, idToken: grant.idToken }),
        refresh_at: refreshTimeOf(grant.expiresAt),
      });
      return true;
    } catch (error) {
      if (isGrantRevoked(error)) return false;
      log.warn({ err: error, provider: providerId }, 'a provider could not be asked about a session; it stays valid');
      return true;
    }
  }

  return {
    begin,
    end,
    /** When a provider is disabled, or is another one: what began through it is not valid any more (`isLive`). */
    endAll: ({ tx }: Change, providerId: string): Promise<void> => deleteAllSessionsOf(tx, providerId),

    /** The session here has begun. False when the provider ended it in the meantime. */
    bind: (id: string, uid: string): Promise<boolean> =>
      db.write((tx) => bindProviderSession(tx, id, { session_hash: hashOfSession(uid), expires_at: now() + lifetime() }, now())),

    isLive: async (uid: string): Promise<boolean> => (await findLive(uid)) !== undefined,

    /** What the tokens of such a session depend on. */
    delegationOf: async (uid: string): Promise<DelegationRef | undefined> => {
      const session = await findLive(uid);
      return session && { kind: 'federation', id: session.id };
    },

    /** The sessions of a person that `isLive`, by their hashes. */
    liveHashesOf: (userId: string): Promise<ReadonlySet<string>> => liveHashesOf(deps, userId, now()),

    /** Before a refresh token of this session is used: asks the provider, when that is due. */
    async confirm(uid: string): Promise<boolean> {
      const session = await findLive(uid);
      if (!session) return false;
      if (session.refresh_at !== null && session.refresh_at <= now() && !(await refresh(session))) {
        await endUnconfirmed(session);
        return false;
      }
      // As the refresh token here gets a new life with every use.
      if (session.expires_at < now() + lifetime() - EXTENSION_SECONDS)
        await updateProviderSession(db, session.id, { expires_at: now() + lifetime() });
      return true;
    },

    /** A logout token of a provider (OpenID Connect Back-Channel Logout 1.0). Fails with 400. */
    async logOut(origin: AttemptOrigin, providerId: string, token: string): Promise<void> {
      const refuse = (why: string): never => fail('identity_provider.invalid_logout', { why });
      gate.checkSecret(origin, undefined);
      try {
        const row = (await findOpenidSettings(db.read, providerId)) ?? refuse('the provider is not known');
        const logout = await readLogoutToken(clientOf(row).verify, { clientId: row.client_id }, token, refuse);
        const { issuer, subject, sid, tokenHash } = logout;
        const sidHash = sid === undefined ? undefined : sidHashOf(issuer, sid);
        await change(serviceActor, async (transaction) => {
          const key = createHash('sha256').update(`${providerId} ${tokenHash}`).digest('base64url');
          const usedUntil = now() + Math.ceil(USED_MS / 1000) + LEEWAY_SECONDS;
          // First, so that no login that has begun leaves a session behind.
          await lockIdentityProvider(db, transaction.tx, providerId);
          if (!(await useLogoutToken(transaction.tx, key, usedUntil))) refuse('it was already used');
          await apiSessions.signOut(transaction, providerId, logout);
          const count = await end(transaction, { providerId, issuer, subject, sidHash });
          const target = { kind: 'identity_provider', id: providerId };
          transaction.audit('sessions.ended_by_provider', target, { sessions: count });
        });
      } catch (error) {
        if (error instanceof Fault && error.status === 400) gate.wrongSecret(origin, undefined);
        throw error;
      }
    },

    async sweep(): Promise<number> {
      return db.write((tx) => deleteEnded(tx, now(), SWEPT_AT_ONCE));
    },
  };
}

export type ProviderSessions = ReturnType<typeof createProviderSessions>;
