// OS-ENDPOINT-POLICY: which endpoints a policy is for. The nearest counts: the endpoint, then its service in its region or a region above, then its
// service.
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import { findRow, type Nouns } from '../../access/noun/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { EndpointRow, PolicyRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import {
  type Association,
  associationsAbout,
  associationsOfPolicy,
  deleteAssociation,
  endpointsOf,
  findAssociation,
  insertAssociation,
  regionParents,
  updateAssociation,
} from './policies.store.ts';

/** What the path of a request names beside the policy. */
export interface AssociationPath {
  readonly endpoint_id?: string;
  readonly service_id?: string;
  readonly region_id?: string;
}

/** The region and those above it, nearest first. */
async function regionsFrom(db: Reader, regionId: string | null): Promise<string[]> {
  if (regionId === null) return [];
  const parents = new Map((await regionParents(db)).map((row) => [row.id, row.parent_region_id]));
  const found = new Set<string>();
  for (let at: string | null = regionId; at !== null && !found.has(at); at = parents.get(at) ?? null) found.add(at);
  return [...found];
}

export function createPolicyAssociations({ db, change, nouns }: Pick<Deps, 'db' | 'change'> & { readonly nouns: Nouns }) {
  async function checked(path: AssociationPath): Promise<Association> {
    const { endpoint_id, service_id, region_id } = path;
    if (endpoint_id !== undefined) await nouns.endpoint.find(endpoint_id);
    if (service_id !== undefined) await nouns.service.find(service_id);
    if (region_id !== undefined) await nouns.region.find(region_id);
    return { endpoint_id: null, service_id: null, region_id: null, ...path };
  }

  /** The endpoints of a policy, as its associations say, whether or not another policy is nearer to them. */
  async function endpointsFor({ id }: PolicyRow): Promise<EndpointRow[]> {
    const associations = await associationsOfPolicy(db.read, id);
    const endpoints = await endpointsOf(db.read, {
      ids: associations.flatMap(({ endpoint_id }) => endpoint_id ?? []),
      serviceIds: associations.flatMap(({ service_id }) => service_id ?? []),
    });
    const parents = new Map((await regionParents(db.read)).map((row) => [row.id, row.parent_region_id]));
    const isWithin = (regionId: string | null, within: string): boolean => {
      const seen = new Set<string>();
      for (let at = regionId; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
        if (at === within) return true;
        seen.add(at);
      }
      return false;
    };
    return endpoints.filter((endpoint) =>
      associations.some(
        ({ endpoint_id, service_id, region_id }) =>
          endpoint_id === endpoint.id ||
          (service_id === endpoint.service_id && (region_id === null || isWithin(endpoint.region_id, region_id))),
      ),
    );
  }

  async function policyFor(endpoint: EndpointRow): Promise<PolicyRow> {
    const about = await associationsAbout(db.read, endpoint);
    const inRegion = (regionId: string | null) =>
      about.find(({ service_id, region_id }) => service_id === endpoint.service_id && region_id === regionId);
    const nearest = [
      about.find(({ endpoint_id }) => endpoint_id === endpoint.id),
      ...(await regionsFrom(db.read, endpoint.region_id)).map(inRegion),
      inRegion(null),
    ].find((association) => association !== undefined);
    return (
      (nearest && (await findRow(db.read, 'policies', nearest.policy_id))) ??
      fail('policy.none_for_endpoint', { id: endpoint.id })
    );
  }

  return {
    endpointsFor,
    policyFor,

    async check({ id }: PolicyRow, path: AssociationPath): Promise<void> {
      const found = await findAssociation(db.read, await checked(path));
      if (found?.policy_id !== id) fail('policy.association_not_found');
    },

    /** It replaces the policy that was there for the same thing. */
    async associate(caller: Caller, { id }: PolicyRow, path: AssociationPath): Promise<void> {
      const association = await checked(path);
      await change(caller, async ({ tx, audit }) => {
        await takeAdvisoryLock(db, tx, 'policy associations');
        const before = await findAssociation(tx, association);
        await failOnBrokenReference(
          () => fail('policy.not_found', { id }),
          () =>
            before ? updateAssociation(tx, before.id, id) : insertAssociation(tx, { id: newId(), policy_id: id, ...association }),
        );
        audit('policy.associated', { kind: 'policy', id }, path as Record<string, string>);
      });
    },

    /** Whether or not there is one, as in Keystone. */
    async dissociate(caller: Caller, { id }: PolicyRow, path: AssociationPath): Promise<void> {
      const found = await findAssociation(db.read, await checked(path));
      if (found?.policy_id !== id) return;
      await change(caller, async ({ tx, audit }) => {
        await deleteAssociation(tx, found);
        audit('policy.dissociated', { kind: 'policy', id }, path as Record<string, string>);
      });
    },
  };
}

export type PolicyAssociations = ReturnType<typeof createPolicyAssociations>;
