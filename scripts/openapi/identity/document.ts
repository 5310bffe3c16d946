// The OpenAPI document of the identity service, made of its routes without starting it.

import { OTHER_AUTHENTICATION } from '../../../src/identity/access/context/other-authentication.ts';
import { type Action, PROVISIONING } from '../../../src/identity/access/rules/index.ts';
import { isForEverybody } from '../../../src/identity/access/rules/policy.ts';
import { identityFaults } from '../../../src/identity/ground/faults.ts';
import { KeystoneError, keystoneErrors, OAuthError, oauthErrors } from '../../../src/identity/ground/resource/index.ts';
import { DashboardPage, openidRoutes, Page } from '../../../src/identity/openid/provider/openid.documentation.ts';
import { ScimError, scimErrors } from '../../../src/identity/provisioning/scim/index.ts';
import { type IdentityRouteDeps, mountIdentity } from '../../../src/identity/routes.ts';
import { createApp, mountProbes, type Schema } from '../../../src/platform/http/index.ts';
import { apiPageRoutes, guideRoutes } from '../../../src/platform/pages/index.ts';
import { version } from '../../../src/version.ts';
import { type ErrorFamily, openApi } from '../openapi.ts';
import { recordedOf } from '../recorded.ts';
import { PARAMETERS } from './parameters.ts';
import { TAGS } from './tags.ts';
import { whoMay } from './who.ts';

/** All other routes take a token of the service. */
const securityOf = (access = ''): readonly string[] =>
  access === PROVISIONING ? ['bearer', 'token'] : (OTHER_AUTHENTICATION[access]?.schemes ?? ['token']);

const JSON_TYPE = 'application/json';
const KEYSTONE: ErrorFamily = { prefix: '', schema: KeystoneError, type: JSON_TYPE, format: keystoneErrors };
const SCIM: ErrorFamily = { prefix: 'Scim', schema: ScimError, type: 'application/scim+json', format: scimErrors };
const OAUTH: ErrorFamily = { prefix: 'OAuth', schema: OAuthError, type: JSON_TYPE, format: oauthErrors };
const PAGE: ErrorFamily = { prefix: 'Page', schema: Page, type: 'text/html', otherwise: OAUTH };
const DASHBOARD: ErrorFamily = { prefix: 'Dashboard', schema: DashboardPage, type: 'text/html', otherwise: KEYSTONE };

function errorsOf(schema: Schema | undefined): ErrorFamily {
  if (schema === undefined) return KEYSTONE;
  const known = [SCIM, OAUTH, PAGE, DASHBOARD].find((family) => family.schema === schema);
  if (!known) throw new Error('a route has errors of an unknown format');
  return known;
}

const DESCRIPTION = `A Keystone-v3-compatible identity service with applications (OAuth2 and OpenID Connect), roles in them, a second factor, SCIM and federation.

Log in by \`POST /v3/auth/tokens\`, and send the token of its header \`X-Subject-Token\` as \`X-Auth-Token\` with every other request. Every answer has an \`X-Openstack-Request-Id\`, which the log contains, too.

Administrators have the role \`admin\`, whatever it was granted on. If the operator enforces the scope (\`GATEHOUSE_IDENTITY_ENFORCE_SCOPE\`), the role must be granted on the system. Whoever has \`admin\` on a domain then counts as one of its managers, and may grant every role there except \`service\`.

Lists have pages: \`links.next\` is the address of the next one, or null. A query parameter must not be repeated. Flags are true, false, 1, 0, or a bare name, which means true. Times are in UTC (ISO 8601).`;

const SECURITY_SCHEMES = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'A token of this service, from POST /v3/auth/tokens.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of a provisioning connection, a token of this service, or an OAuth2 access token.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of /openid/token.',
  },
  dpop: {
    type: 'http',
    scheme: 'dpop',
    description: 'An access token that is bound to a key, with a proof of the key in the header DPoP (RFC 9449).',
  },
  application: {
    type: 'http',
    scheme: 'basic',
    description: 'The id and secret of an application. They may be sent in the body instead.',
  },
  applicationCredential: {
    type: 'http',
    scheme: 'basic',
    description: 'The id and secret of an application credential.',
  },
  oauth1: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The parameters of OAuth 1.0 with a signature (RFC 5849).',
  },
  providerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An ID token, or an access token that is a JWT, which the identity provider issued to our client.',
  },
};

export function makeIdentityDocument(): Record<string, unknown> {
  const app = createApp<never>();
  // Only the route descriptions are read. No handler runs, so their dependencies can be empty.
  mountIdentity(app as never, {} as IdentityRouteDeps);
  mountProbes(app, {});
  return openApi([...app.routes, ...openidRoutes, ...apiPageRoutes('Discovery'), ...guideRoutes('Discovery')], {
    title: 'Gatehouse identity service',
    version,
    description: DESCRIPTION,
    server: 'http://127.0.0.1:5000',
    tags: TAGS,
    securitySchemes: SECURITY_SCHEMES,
    securityOf,
    howToAuthenticate: (access) => OTHER_AUTHENTICATION[access]?.text,
    whoMay: (rule) => whoMay(rule as Action),
    isForEverybody: (rule) => isForEverybody(rule as Action),
    parameters: PARAMETERS,
    ...recordedOf('identity'),
    errorsOf,
    faults: identityFaults,
    codeOf: (code) => code,
  });
}
