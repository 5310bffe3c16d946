// Who is locked out, or has to wait, after wrong passwords and codes; and how an administrator ends it. The counts themselves are those of
// passwords and two-factor.
export { mountLocks } from './locks.routes.ts';
export { createLocks, type Locks } from './locks.rules.ts';
