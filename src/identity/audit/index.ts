// Changes that leave an audit event in the same transaction.
export { type Actor, type Change, createChanges, type RunChange, theService } from './audit.store.ts';
