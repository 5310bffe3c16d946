// A value that may be there already. On the hot path a promise that has nothing to wait for still costs a microsecond,
// and one request would make half a dozen. Only for what is answered from memory (ADR 003); scripts/house-rules.ts lists where.

export type MaybePromise<T> = T | Promise<T>;

/** Goes on at once when the value is there, else when it comes. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
