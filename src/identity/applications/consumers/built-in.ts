// The application the service depends on.
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';

/** Nobody may change or delete it. */
export const BUILT_IN_APPLICATION = 'idm_admin_app';

export function refuseBuiltIn({ id }: ConsumerRow): void {
  if (id === BUILT_IN_APPLICATION) fail('resource.built_in', { kind: 'consumer', id });
}
