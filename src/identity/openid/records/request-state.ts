// Tracks the records, user generations and consumers that a request has read. What it stores later is bound to them: a password may change,
// a session may end, or an application may lose a scope in the meantime.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DomainSettings } from '../../directory/domain-settings/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import type { RecordWithOwners } from './records.store.ts';

/** A session ends when it was unused for the idle time, and at the latest after `sessionSeconds`. */
export type Lifetimes = DomainSettings['sessions'];

/** Where a request comes from. */
export interface RequestOrigin {
  readonly address: string;
  readonly userAgent: string;
  /** The header with the cookies. */
  readonly cookies?: string | undefined;
}

class RequestFindings {
  /** The generation of each user at the first read of the request. */
  readonly generations = new Map<string, number>();
  readonly records = new Set<string>();
  /** Each consumer at the first read of the request. */
  readonly consumers = new Map<string, ConsumerRow>();
  /** Read with something that was made from it, and not asked for yet. */
  readonly grants = new Map<string, RecordWithOwners>();
  readonly lifetimes = new Map<string, Lifetimes>();
  readonly origin: RequestOrigin | undefined;
  /** The secrets that the browser gets with the answer, by interaction. */
  readonly browserSecrets = new Map<string, string>();

  constructor(origin: RequestOrigin | undefined) {
    this.origin = origin;
  }
}

export function createRequestState() {
  const current = new AsyncLocalStorage<RequestFindings>();

  return {
    /** Runs `work` as one request. */
    duringRequest: <T>(work: () => Promise<T>, origin?: RequestOrigin): Promise<T> =>
      current.run(new RequestFindings(origin), work),
    origin: (): RequestOrigin | undefined => current.getStore()?.origin,

    /** Sets the generation of a user, once per request. */
    bind(userId: string, generation: number): void {
      const generations = current.getStore()?.generations;
      if (generations && !generations.has(userId)) generations.set(userId, generation);
    },
    /** After a change of the user's own that revoked the tokens of all others. */
    rebind: (userId: string, generation: number): void => void current.getStore()?.generations.set(userId, generation),
    generationOf: (userId: string): number | undefined => current.getStore()?.generations.get(userId),

    /** What the request does is for the consumer as it is now, once per request. */
    bindConsumer(consumer: ConsumerRow): void {
      const consumers = current.getStore()?.consumers;
      if (consumers && !consumers.has(consumer.id)) consumers.set(consumer.id, consumer);
    },
    consumerOf: (id: string): ConsumerRow | undefined => current.getStore()?.consumers.get(id),

    /** What the domain of the user says, while the request lasts. */
    noteLifetimes: (userId: string, lifetimes: Lifetimes): void => void current.getStore()?.lifetimes.set(userId, lifetimes),
    lifetimesOf: (userId: string): Lifetimes | undefined => current.getStore()?.lifetimes.get(userId),

    /** From now on the browser of this request has this secret for the interaction. */
    setBrowserSecret: (interactionId: string, secret: string): void =>
      void current.getStore()?.browserSecrets.set(interactionId, secret),
    browserSecretOf: (interactionId: string): string | undefined => current.getStore()?.browserSecrets.get(interactionId),

    keepGrant: (row: RecordWithOwners): void => void current.getStore()?.grants.set(row.id, row),
    /** Once: what is asked for again is read again. */
    takeGrant(id: string): RecordWithOwners | undefined {
      const grants = current.getStore()?.grants;
      const row = grants?.get(id);
      grants?.delete(id);
      return row;
    },

    addRecord: (id: string): void => void current.getStore()?.records.add(id),
    hasRecord: (id: string): boolean => current.getStore()?.records.has(id) ?? false,
  };
}

export type RequestState = ReturnType<typeof createRequestState>;
