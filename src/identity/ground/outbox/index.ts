// Messages are stored in the transaction of the event they report, and sent until they are delivered or given up.
// Each by one process, with retries; deliveries.store.ts shows the rows of all queues.
export {
  countFailed,
  type Delivery,
  type DeliveryKind,
  findDelivery,
  listDeliveries,
  type QueueState,
  queueStates,
  removeDelivery,
  retryDelivery,
} from './deliveries.store.ts';
export { createOutbox, type Failure, type Outbox, type Schedule } from './outbox.ts';
