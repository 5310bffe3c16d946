// What is done after an application has its answer: finding out who is meant by its request, so that neither the answer nor its time says
// whether there is such a person; and telling it that somebody has answered (CIBA, 10.2).
import { seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { findConsumer, pingEndpointOf } from '../../applications/consumers/index.ts';
import type { Database, SignInTaskRow, Tx } from '../../ground/database/index.ts';
import { createOutbox, type Failure, type Schedule } from '../../ground/outbox/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { insertTask } from './sign-in-requests.store.ts';

/** Whoever is told can ask by itself, so it is not tried for long. As many at once as are read: a receiver that is slow keeps nobody waiting. */
const SCHEDULE: Schedule = { firstRetrySeconds: 10, maxWaitSeconds: 60, maxAttempts: 4, atOnce: 20 };
const CALL_LIMITS = { kind: 'sign-in request', timeoutMs: 4000, maxBytes: 4096 } as const;

/** Of those that refuse: they may listen later (RFC 9110, 15.5.9 and RFC 6585, 4). */
const LATER = [408, 429];

/** Whoever refuses what they are told, or would send us elsewhere, would do so again: that wants somebody who looks (CIBA, 10.2). */
const isRefusal = (status: number): boolean => status >= 300 && status < 500 && !LATER.includes(status);

/** Who is meant, as the application says. */
export interface Hint {
  readonly name: string | undefined;
  readonly userId: string | undefined;
  readonly code: string | undefined;
}

interface Contents {
  readonly find: { readonly requestId: string; readonly hint: Hint };
  readonly ping: { readonly endpoint: string; readonly token: string; readonly authReqId: string };
}
type Kind = keyof Contents;

const placeOf = (id: string): string => `sign_in_tasks/${id}`;

export interface TaskDeps extends Pick<Deps, 'db' | 'clock' | 'log'> {
  readonly seal: Seal;
  readonly outbound: Outbound;
}

export function createTasks(deps: TaskDeps, find: (task: Contents['find']) => Promise<void>) {
  const { db, clock, log, seal, outbound } = deps;

  /** To where it was registered when it asked: what it asked with is for nobody else. */
  async function ping(database: Database, consumerId: string, { endpoint, token, authReqId }: Contents['ping']) {
    const consumer = await findConsumer(database.read, consumerId);
    if (!consumer || pingEndpointOf(consumer) !== endpoint) return undefined;
    const { status } = await outbound({
      ...CALL_LIMITS,
      method: 'POST',
      url: endpoint,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ auth_req_id: authReqId }),
    });
    return status >= 200 && status < 300 ? undefined : { status, isFinal: isRefusal(status) };
  }

  async function run({ id, kind, sealed, consumer_id: consumerId }: SignInTaskRow): Promise<Failure | undefined> {
    const content = JSON.parse(seal.open(sealed, placeOf(id)).toString()) as Contents[Kind];
    if (kind === 'ping') return ping(db, consumerId, content as Contents['ping']);
    await find(content as Contents['find']);
    return undefined;
  }

  const outbox = createOutbox({
    db,
    clock,
    log,
    queue: 'sign_in_tasks',
    schedule: SCHEDULE,
    send: run,
    logFields: ({ id, kind, consumer_id: application }) => ({ task: id, kind, application }),
    refused: 'a task of a sign-in request failed',
    failure: 'tasks of sign-in requests could not be done; they will be tried again',
  });

  return {
    async add<K extends Kind>(tx: Tx, consumerId: string, kind: K, content: Contents[K]): Promise<void> {
      const [id, now] = [newId(), seconds(clock)];
      const sealed = seal.seal(Buffer.from(JSON.stringify(content)), placeOf(id));
      await insertTask(tx, { id, consumer_id: consumerId, kind, sealed, attempts: 0, next_at: now, created_at: now });
    },
    ...outbox,
  };
}

export type SignInTasks = ReturnType<typeof createTasks>;
