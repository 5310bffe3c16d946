// A value that may already be available. On the hot path even a resolved promise costs a microsecond, and a request would need half a
// dozen. Only for requests that are answered from memory (ADR 003); scripts/code-rules.ts lists the files that may use it.

export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` immediately if the value is available, otherwise when the promise resolves. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
