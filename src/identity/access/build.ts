// What a user may do in a scope.
import type { Ground } from '../ground/build.ts';
import { createAccess, type DelegationKind, type DelegationReader } from './context/index.ts';

export function buildAccess(below: Ground) {
  const { db, clock, config } = below;
  /** The rooms that store delegations say how they are read. */
  const delegations: Partial<Record<DelegationKind, DelegationReader>> = {};
  return { ...below, delegations, access: createAccess(db, clock, config, delegations) };
}

export type AccessRoom = ReturnType<typeof buildAccess>;
