// The associations of policies in the database.
import type { EndpointRow, PolicyAssociationRow, Reader, RegionRow, Tx } from '../../ground/database/index.ts';

/** What a policy is for: an endpoint, a service in a region, or a service. */
export type Association = Pick<PolicyAssociationRow, 'endpoint_id' | 'service_id' | 'region_id'>;

export async function findAssociation(
  db: Reader,
  { endpoint_id, service_id, region_id }: Association,
): Promise<PolicyAssociationRow | undefined> {
  return db
    .selectFrom('policy_associations')
    .where('endpoint_id', endpoint_id === null ? 'is' : '=', endpoint_id)
    .where('service_id', service_id === null ? 'is' : '=', service_id)
    .where('region_id', region_id === null ? 'is' : '=', region_id)
    .selectAll()
    .executeTakeFirst();
}

export async function insertAssociation(tx: Tx, row: PolicyAssociationRow): Promise<void> {
  await tx.insertInto('policy_associations').values(row).execute();
}

export async function updateAssociation(tx: Tx, id: string, policyId: string): Promise<void> {
  await tx.updateTable('policy_associations').set({ policy_id: policyId }).where('id', '=', id).execute();
}

/** Unless it is that of another policy by now. */
export async function deleteAssociation(tx: Tx, { id, policy_id }: PolicyAssociationRow): Promise<void> {
  await tx.deleteFrom('policy_associations').where('id', '=', id).where('policy_id', '=', policy_id).execute();
}

export const associationsOfPolicy = (db: Reader, policyId: string): Promise<PolicyAssociationRow[]> =>
  db.selectFrom('policy_associations').where('policy_id', '=', policyId).selectAll().execute();

/** Those of the endpoint itself, and those of its service in any region. */
export const associationsAbout = (db: Reader, { id, service_id }: EndpointRow): Promise<PolicyAssociationRow[]> =>
  db
    .selectFrom('policy_associations')
    .where((eb) => eb.or([eb('endpoint_id', '=', id), eb('service_id', '=', service_id)]))
    .selectAll()
    .execute();

export async function endpointsOf(
  db: Reader,
  { ids, serviceIds }: { readonly ids: readonly string[]; readonly serviceIds: readonly string[] },
): Promise<EndpointRow[]> {
  if (ids.length + serviceIds.length === 0) return [];
  return db
    .selectFrom('endpoints')
    .where((eb) =>
      eb.or([...(ids.length ? [eb('id', 'in', ids)] : []), ...(serviceIds.length ? [eb('service_id', 'in', serviceIds)] : [])]),
    )
    .orderBy('id')
    .selectAll()
    .execute();
}

export const regionParents = (db: Reader): Promise<Pick<RegionRow, 'id' | 'parent_region_id'>[]> =>
  db.selectFrom('regions').select(['id', 'parent_region_id']).execute();
