// Applications hear that a session of theirs ended here (OpenID Connect Back-Channel Logout 1.0), whatever ended it: a changed
// password, a closed or deleted account, a person who ends their other sessions. The library tells them of its own logout page only.
import type { Provider } from 'oidc-provider';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { forEachConcurrently } from '../../../platform/for-each-concurrently.ts';
import { newId } from '../../../platform/ids.ts';
import { type Job, repeat } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Change } from '../../audit/index.ts';
import { findConsumer, openidFieldsOf } from '../../consumers/index.ts';
import type { Database, LogoutRow } from '../../database.ts';
import { parseJson } from '../../resource/index.ts';
import {
  claimClient,
  type DueClient,
  deleteLogout,
  deleteTried,
  dueClients,
  insertLogout,
  logoutsOf,
  releaseClient,
} from './logouts.store.ts';
import type { Ended } from './records/end.ts';
import type { Payload } from './records/record.ts';

const EVERY_MS = 1_000;
const CLIENTS_AT_ONCE = 5;
const CLIENTS_A_ROUND = 20;
const SENT_A_TURN = 100;
/** With one call that takes its longest this is shorter than the first wait: until that is over, nobody else sends to the application. */
const TURN_MS = 5_000;
const FIRST_RETRY_SECONDS = 10;
const MAX_WAIT_SECONDS = 300;
/** Of an application, whatever waits for it: about an hour. */
const MAX_ATTEMPTS = 15;

/** What the library has and its types do not say. */
interface TellableClient {
  readonly backchannelLogoutUri?: string;
  backchannelLogout(sub: string, sid: string | undefined): Promise<void>;
}

interface Notice {
  readonly client_id: string;
  readonly sub: string;
  readonly sid?: string;
}

/** Adds the sessions that applications know, by application: where a record names none, the application alone. */
function noteSessions(found: Map<string, Set<string>>, ended: readonly Payload[]): void {
  const note = (clientId: unknown, sid: unknown): void => {
    if (typeof clientId !== 'string') return;
    const sids = found.get(clientId) ?? new Set();
    if (typeof sid === 'string') sids.add(sid);
    found.set(clientId, sids);
  };
  for (const { clientId, sid, authorizations } of ended) {
    note(clientId, sid);
    for (const [id, known] of Object.entries((authorizations ?? {}) as Record<string, { sid?: unknown }>)) note(id, known?.sid);
  }
}

export function createLogouts(deps: { db: Database; clock: Clock; log: Log }) {
  const { db, clock, log } = deps;
  let job: Job | undefined;
  let provider: () => Promise<Provider> = () => Promise.reject(new Error('logouts are not sent yet'));

  async function send({ id, body }: LogoutRow, attempt: number): Promise<boolean> {
    const { client_id: clientId, sub, sid } = JSON.parse(body) as Notice;
    try {
      const client = (await (await provider()).Client.find(clientId)) as TellableClient | undefined;
      // An application that is gone, or does not want to hear of it any more, has heard.
      if (client?.backchannelLogoutUri) await client.backchannelLogout(sub, sid);
    } catch (error) {
      log.warn(
        { notification: id, client: clientId, attempt, status: (error as Error).message },
        'an application was not told of a logout',
      );
      return false;
    }
    await deleteLogout(db, id);
    return true;
  }

  /** One after the other, and no longer than its turn: an application that is slow, or does not answer, waits for itself only. */
  async function sendTo(due: DueClient, stopping: AbortSignal | undefined): Promise<void> {
    const [now, attempt, began] = [seconds(clock), due.attempts + 1, performance.now()];
    const wait = Math.min(FIRST_RETRY_SECONDS * 2 ** due.attempts, MAX_WAIT_SECONDS);
    if (stopping?.aborted || !(await claimClient(db, due, now, now + wait))) return;
    for (const row of await logoutsOf(db.read, due.clientId, SENT_A_TURN)) {
      if (stopping?.aborted || performance.now() - began > TURN_MS) break;
      if (await send(row, attempt)) continue;
      if (attempt >= MAX_ATTEMPTS) await deleteTried(db, due.clientId, MAX_ATTEMPTS);
      return;
    }
    await releaseClient(db, due.clientId, seconds(clock));
  }

  const sendDue = async (stopping?: AbortSignal): Promise<void> =>
    forEachConcurrently(CLIENTS_AT_ONCE, await dueClients(db.read, seconds(clock), CLIENTS_A_ROUND), (due) =>
      sendTo(due, stopping),
    );

  async function add({ tx }: Change, notice: Notice): Promise<void> {
    const now = seconds(clock);
    const body = JSON.stringify(notice);
    await insertLogout(tx, { id: newId(), client_id: notice.client_id, body, attempts: 0, next_at: now, created_at: now });
  }

  return {
    sendDue,
    /** `by`: who signs and sends them. */
    start(by: () => Promise<Provider>): void {
      provider = by;
      const failure = 'logouts could not be sent; they will be tried again';
      job = repeat({ everyMs: EVERY_MS, run: sendDue, log, failure, logsOnce: true });
    },
    async stop(): Promise<void> {
      await job?.stop();
    },

    /** Within the change that ends this of a user. */
    async note(transaction: Change, userId: string, { clientIds, sessions, given }: Ended): Promise<void> {
      const known = new Map(clientIds.map((id) => [id, new Set<string>()]));
      noteSessions(known, sessions);
      const bySession: string[] = [];
      for (const clientId of known.keys()) {
        const consumer = await findConsumer(transaction.tx, clientId);
        const fields = consumer ? openidFieldsOf(parseJson(consumer.extra)) : {};
        if (fields.backchannel_logout_uri === undefined) continue;
        if (fields.backchannel_logout_session_required === true) bySession.push(clientId);
        else await add(transaction, { client_id: clientId, sub: userId });
      }
      if (bySession.length > 0) noteSessions(known, await given(bySession));
      for (const clientId of bySession)
        for (const sid of known.get(clientId)!) await add(transaction, { client_id: clientId, sub: userId, sid });
    },

    /** One that the library tried to send, and that did not arrive. */
    again: (transaction: Change, clientId: string, sub: string, sid: string | undefined): Promise<void> =>
      add(transaction, { client_id: clientId, sub, ...(sid === undefined ? {} : { sid }) }),
  };
}

export type Logouts = ReturnType<typeof createLogouts>;
