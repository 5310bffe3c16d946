// Names of roles that look alike.
import { fail } from '../../ground/faults.ts';
import { areAlike } from '../users/index.ts';

interface NamedRole {
  readonly id: string;
  readonly name: string;
}

/**
 * Fails if a new name is that of another role but for its case, or looks like it. Programs compare names of roles in any case, OpenStack's
 * services among them: who has `ADMIN` would be an administrator there. The same name is refused by the unique index.
 */
export function refuseAlike({ id, name }: NamedRole, others: readonly NamedRole[]): void {
  const alike = others.find((other) => other.id !== id && other.name !== name && areAlike(other.name, name));
  if (alike) fail('role.name_alike', { name, other: alike.name });
}
