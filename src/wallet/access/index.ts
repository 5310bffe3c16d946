// Whose wallet it is: who calls, what they may do, whose rows a query sees, and what was damaged.
export { type Caller, createWalletChanges, ownerOf, ownerTag, type RunWalletChange, theNode } from './caller.ts';
export { createUnlessDamaged, readList, readObject, type UnlessDamaged } from './damage.ts';
export {
  actAs,
  actForSession,
  EVERYONE,
  ensureRowSecurity,
  NODE,
  type RowSecurityReport,
  readAs,
  readForSession,
} from './owners.store.ts';
export { authorize, type RuleName, targetFor, type WalletApp, type WalletTarget } from './rules.ts';
