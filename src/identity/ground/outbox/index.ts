// Messages are stored in the transaction of the event they report, and sent until they are delivered or given up.
// Each by one process, with retries.
export type { Queue } from './outbox.store.ts';
export { createOutbox, type Failure, type Schedule } from './outbox.ts';
