// The service provider configuration (RFC 7643, 5).
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
