// Access: the caller, authorization rules, row-level security, and damaged rows.
// owners.store.ts is the owner whose rows a query sees (row-level security on PostgreSQL), damage.ts rows that cannot be read any more.
export { type Caller, createWalletChanges, ownerOf, ownerTag, type RunWalletChange, theNode } from './caller.ts';
export { createUnlessDamaged, readList, readObject, type UnlessDamaged } from './damage.ts';
export {
  actAs,
  actAsEveryone,
  actForSession,
  EVERYONE,
  ensureRowSecurity,
  NODE,
  type RowSecurityReport,
  readAs,
  readAsEveryone,
  readForSession,
} from './owners.store.ts';
export { authorize, type RuleName, targetFor, type WalletApp, type WalletTarget } from './rules.ts';
