// Notifies applications of ended sessions (OpenID Connect Back-Channel Logout 1.0): after a changed password, a disabled or deleted
// account, or when a person ends their other sessions. The library itself only notifies for its logout page.
import type { Provider } from 'oidc-provider';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { forEachConcurrently } from '../../../platform/for-each-concurrently.ts';
import { newId } from '../../../platform/ids.ts';
import { type Job, repeat } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { findConsumer, openidFieldsOf } from '../../applications/consumers/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, LogoutRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import type { EndedRecords, RecordPayload } from '../records/index.ts';
import {
  claimClient,
  type DueClient,
  deleteExhausted,
  deleteLogout,
  dueClients,
  insertLogout,
  logoutsOf,
  releaseClient,
  waitingLogouts,
} from './logouts.store.ts';

const EVERY_MS = 1_000;
const CLIENTS_AT_ONCE = 5;
const CLIENTS_A_ROUND = 20;
const SENT_A_TURN = 100;
/** Together with the longest call this is shorter than the first wait: until then no other process sends to the application. */
const TURN_MS = 5_000;
const FIRST_RETRY_SECONDS = 10;
const MAX_WAIT_SECONDS = 300;
/** Per application; takes about an hour. */
const MAX_ATTEMPTS = 15;

/** Members of the library's client that its types lack. */
interface LogoutClient {
  readonly backchannelLogoutUri?: string;
  backchannelLogout(sub: string, sid: string | undefined): Promise<void>;
}

interface LogoutNotice {
  readonly client_id: string;
  readonly sub: string;
  readonly sid?: string;
}

/** Adds the session ids of records, by application. An application without a session id gets an empty set. */
function collectSessions(found: Map<string, Set<string>>, ended: readonly RecordPayload[]): void {
  const add = (clientId: unknown, sid: unknown): void => {
    if (typeof clientId !== 'string') return;
    const sids = found.get(clientId) ?? new Set();
    if (typeof sid === 'string') sids.add(sid);
    found.set(clientId, sids);
  };
  for (const { clientId, sid, authorizations } of ended) {
    add(clientId, sid);
    for (const [id, known] of Object.entries((authorizations ?? {}) as Record<string, { sid?: unknown }>)) add(id, known?.sid);
  }
}

export function createLogouts(deps: { db: Database; clock: Clock; log: Log }) {
  const { db, clock, log } = deps;
  let job: Job | undefined;
  let provider: () => Promise<Provider> = () => Promise.reject(new Error('logouts: not started'));

  async function send({ id, body }: LogoutRow, attempt: number): Promise<boolean> {
    const { client_id: clientId, sub, sid } = JSON.parse(body) as LogoutNotice;
    try {
      const client = (await (await provider()).Client.find(clientId)) as LogoutClient | undefined;
      // Nothing to send if the application was deleted or no longer has a logout URI.
      if (client?.backchannelLogoutUri) await client.backchannelLogout(sub, sid);
    } catch (error) {
      log.warn(
        { notification: id, client: clientId, attempt, status: (error as Error).message },
        'could not notify an application of a logout',
      );
      return false;
    }
    await deleteLogout(db, id);
    return true;
  }

  /** Sends one after the other, within a time limit: a slow application does not delay others. */
  async function sendTo(due: DueClient, stopping: AbortSignal | undefined): Promise<void> {
    const [now, attempt, began] = [seconds(clock), due.attempts + 1, performance.now()];
    const wait = Math.min(FIRST_RETRY_SECONDS * 2 ** due.attempts, MAX_WAIT_SECONDS);
    if (stopping?.aborted || !(await claimClient(db, due, now, now + wait))) return;
    for (const row of await logoutsOf(db.read, due.clientId, SENT_A_TURN)) {
      if (stopping?.aborted || performance.now() - began > TURN_MS) break;
      if (await send(row, attempt)) continue;
      if (attempt >= MAX_ATTEMPTS) await deleteExhausted(db, due.clientId, MAX_ATTEMPTS);
      return;
    }
    await releaseClient(db, due.clientId, seconds(clock));
  }

  const sendDue = async (stopping?: AbortSignal): Promise<void> =>
    forEachConcurrently(CLIENTS_AT_ONCE, await dueClients(db.read, seconds(clock), CLIENTS_A_ROUND), (due) =>
      sendTo(due, stopping),
    );

  async function add({ tx }: Change, notice: LogoutNotice): Promise<void> {
    const now = seconds(clock);
    const body = JSON.stringify(notice);
    await insertLogout(tx, { id: newId(), client_id: notice.client_id, body, attempts: 0, next_at: now, created_at: now });
  }

  return {
    sendDue,
    waiting: () => waitingLogouts(db.read),
    /** The provider signs and sends the notifications. */
    start(newProvider: () => Promise<Provider>): void {
      provider = newProvider;
      const failure = 'could not send logout notifications; trying again';
      job = repeat({ everyMs: EVERY_MS, run: sendDue, log, failure, logsOnce: true });
    },
    async stop(): Promise<void> {
      await job?.stop();
    },

    /** Stores the notifications, in the transaction that ends the records. */
    async recordLogouts(
      transaction: Change,
      userId: string,
      { clientIds, sessions, refreshTokensOf }: EndedRecords,
    ): Promise<void> {
      const sessionIds = new Map(clientIds.map((id) => [id, new Set<string>()]));
      collectSessions(sessionIds, sessions);
      const bySession: string[] = [];
      for (const clientId of sessionIds.keys()) {
        const consumer = await findConsumer(transaction.tx, clientId);
        const fields = consumer ? openidFieldsOf(parseJson(consumer.extra)) : {};
        if (fields.backchannel_logout_uri === undefined) continue;
        if (fields.backchannel_logout_session_required === true) bySession.push(clientId);
        else await add(transaction, { client_id: clientId, sub: userId });
      }
      if (bySession.length > 0) collectSessions(sessionIds, await refreshTokensOf(bySession));
      for (const clientId of bySession)
        for (const sid of sessionIds.get(clientId)!) await add(transaction, { client_id: clientId, sub: userId, sid });
    },

    /** Stores a notification that the library failed to send. */
    retry: (transaction: Change, clientId: string, sub: string, sid: string | undefined): Promise<void> =>
      add(transaction, { client_id: clientId, sub, ...(sid === undefined ? {} : { sid }) }),
  };
}

export type Logouts = ReturnType<typeof createLogouts>;
