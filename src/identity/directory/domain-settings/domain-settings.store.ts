// Which domains there are of some names.
import type { Reader } from '../../ground/database/index.ts';

export function findDomainIds(db: Reader, names: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('projects')
    .where('is_domain', '=', 1)
    .where('name', 'in', [...names])
    .select(['id', 'name'])
    .orderBy('name')
    .execute();
}
