// What the service says of itself, as Keyrock does.
import type { Census } from '../core/scim.rules.ts';

const RFC = 'https://www.rfc-editor.org/rfc/rfc7644';

/** Larger than a JavaScript number can be exactly, so it goes into the text. */
const MAX_RESULTS = '9223372036854775807';
const STAND_IN = '@maxResults';

/** The configuration, as text. */
export function keyrockServiceProviderConfig(version: string, tokenType: string, census: Census): string {
  const { totalUsers, totalCloudOrganizations, totalUserOrganizations } = census;
  const config = {
    schemas: [`urn:scim:schemas:core:${version}:ServiceProviderConfig`],
    documentationUrl: RFC,
    patch: { supported: true },
    information: { ...census, totalResources: totalUsers + totalCloudOrganizations + totalUserOrganizations },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: STAND_IN },
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
  return JSON.stringify(config).replace(`"${STAND_IN}"`, MAX_RESULTS);
}
