// The service provider configuration in Keyrock's format.
import type { ResourceTotals } from '../core/scim.rules.ts';

const RFC = 'https://www.rfc-editor.org/rfc/rfc7644';

/** Too large for an exact JavaScript number, so it is inserted into the text. */
const MAX_RESULTS = '9223372036854775807';
const PLACEHOLDER = '@maxResults';

/** The configuration, as text. */
export function keyrockServiceProviderConfig(version: string, tokenType: string, totals: ResourceTotals): string {
  const { totalUsers, totalCloudOrganizations, totalUserOrganizations } = totals;
  const config = {
    schemas: [`urn:scim:schemas:core:${version}:ServiceProviderConfig`],
    documentationUrl: RFC,
    patch: { supported: true },
    information: { ...totals, totalResources: totalUsers + totalCloudOrganizations + totalUserOrganizations },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: PLACEHOLDER },
    changePassword: { supported: true },
    sort: { supported: false },
    etag: { supported: false },
    xmlDataFormat: { supported: false },
    authenticationSchemes: [
      {
        name: 'Token authentication',
        description: 'A token of this service in the header X-Auth-Token',
        specUrl: 'https://docs.openstack.org/api-ref/identity/v3/',
        documentationUrl: 'https://docs.openstack.org/api-ref/identity/v3/',
        type: tokenType,
        primary: true,
      },
    ],
  };
  return JSON.stringify(config).replace(`"${PLACEHOLDER}"`, MAX_RESULTS);
}
