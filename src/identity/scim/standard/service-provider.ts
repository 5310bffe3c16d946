// What a SCIM service says of itself, on both faces.
import { DEFAULT_COUNT, MAX_COUNT } from '../core/requests.ts';

export const BULK = { maxOperations: 1000, maxPayloadSize: 1_048_576 } as const;

const RFC = 'https://www.rfc-editor.org/rfc/rfc7644';

const bearer = {
  type: 'oauthbearertoken',
  name: 'Bearer token',
  description: 'A token of a provisioning connection, or a token of this service, as Authorization: Bearer',
  specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
  primary: true,
};

const header = {
  type: 'httpheader',
  name: 'X-Auth-Token',
  description: 'A token of this service in the header X-Auth-Token',
};

export const serviceProviderConfig = (base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: RFC,
  patch: { supported: true },
  bulk: { supported: true, ...BULK },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: true },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: DEFAULT_COUNT,
    maxPageSize: MAX_COUNT,
  },
  authenticationSchemes: [bearer, header],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

export interface Census {
  readonly totalUsers: number;
  readonly basicUsers: number;
  readonly trialUsers: number;
  readonly communityUsers: number;
  readonly totalCloudOrganizations: number;
  readonly totalUserOrganizations: number;
}

/** Larger than a JavaScript number can be exactly, so it goes into the text. */
const MAX_RESULTS = '9223372036854775807';
const STAND_IN = '@maxResults';

/** The configuration of the old back-end, as text. */
export function oldServiceProviderConfig(version: string, tokenType: string, census: Census): string {
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
