// Changes that leave an audit event in the same transaction.
export { type Actor, type AuditEventRow, type Change, createChanges, type RunChange, theService } from './audit.store.ts';
