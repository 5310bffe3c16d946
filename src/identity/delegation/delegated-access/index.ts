// What can act for a user beside themselves: programs, keys, and people whom they gave a trust.
export { mountDelegatedAccess } from './delegated-access.routes.ts';
export {
  createDelegatedAccess,
  DELEGATED_KINDS,
  type DelegatedAccess,
  type DelegatedItem,
  type DelegatedKind,
  type DelegatedList,
} from './delegated-access.rules.ts';
export { createManagedDelegatedAccess } from './managed.rules.ts';
