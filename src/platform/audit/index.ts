// Changes that leave an audit event in the same transaction.
export {
  type AuditActor,
  type AuditEventRow,
  type AuditedChange,
  createChanges,
  type RunAuditedChange,
  serviceActor,
} from './audit.store.ts';
