// APIs in the database, as the OpenID provider asks for them.
import { lockRow } from '../../../platform/database/index.ts';
import type { ApiRow, Database, Reader, Tx } from '../../ground/database/index.ts';

export function findApiByIdentifier(db: Reader, identifier: string): Promise<ApiRow | undefined> {
  return db.selectFrom('apis').where('identifier', '=', identifier).selectAll().executeTakeFirst();
}

/** There are few. */
export function allApis(db: Reader): Promise<ApiRow[]> {
  return db.selectFrom('apis').selectAll().orderBy('id').execute();
}

/** So that concurrent changes do not overwrite each other. */
export const lockApi = (db: Database, tx: Tx, id: string): Promise<ApiRow | undefined> => lockRow(db, tx, 'apis', id);
