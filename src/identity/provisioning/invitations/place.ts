// The name of what a person is invited to.
import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import type { InvitationRow, Reader } from '../../ground/database/index.ts';

/** The organization, else the domain. The default domain has no name that means something to people. */
export async function placeOf(
  reader: Reader,
  { brandName }: { readonly brandName: string },
  { organization_id, domain_id }: Pick<InvitationRow, 'organization_id' | 'domain_id'>,
): Promise<string> {
  const organization = organization_id === null ? undefined : await findProject(reader, organization_id);
  if (organization) return organization.name;
  return (domain_id === DEFAULT_DOMAIN ? undefined : (await findProject(reader, domain_id))?.name) ?? brandName;
}
