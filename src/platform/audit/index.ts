// Changes with audit events in the same transaction.
export {
  type AuditActor,
  type AuditEventRow,
  type AuditedChange,
  type AuditedEvent,
  type ChangeSteps,
  createChanges,
  type RunAuditedChange,
  serviceActor,
} from './audit.store.ts';
