// Tracks the records and user generations that a request has read. What it stores later is bound to them: a password may change, or
// a session may end, in the meantime.
import { AsyncLocalStorage } from 'node:async_hooks';

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

    /** From now on the browser of this request has this secret for the interaction. */
    setBrowserSecret: (interactionId: string, secret: string): void =>
      void current.getStore()?.browserSecrets.set(interactionId, secret),
    browserSecretOf: (interactionId: string): string | undefined => current.getStore()?.browserSecrets.get(interactionId),

    addRecord: (id: string): void => void current.getStore()?.records.add(id),
    hasRecord: (id: string): boolean => current.getStore()?.records.has(id) ?? false,
  };
}

export type RequestState = ReturnType<typeof createRequestState>;
