// The OpenAPI documents of the services, generated from their routes without starting them.

import { PROVISIONING } from './identity/access/index.ts';
import { ACCESS_TOKEN, APPLICATION, openidRoutes } from './identity/openid/index.ts';
import { KeystoneError } from './identity/resource/index.ts';
import { type IdentityRouteDeps, mountIdentity } from './identity/routes.ts';
import { createApp, mountProbes, openApi } from './platform/http/index.ts';
import { version } from './version.ts';
import { Problem } from './wallet/resource/index.ts';
import { mountWallet, type WalletRouteDeps as WalletParts } from './wallet/routes.ts';

/** All other routes take a token of the service. */
const IDENTITY_SECURITY: Readonly<Record<string, readonly string[]>> = {
  [PROVISIONING]: ['bearer', 'token'],
  [ACCESS_TOKEN]: ['bearer'],
  [APPLICATION]: ['application'],
};

export function identityOpenApi(): unknown {
  const app = createApp<never>();
  // Only the route descriptions are read. No handler runs, so their dependencies can be empty.
  mountIdentity(app as never, {} as IdentityRouteDeps);
  mountProbes(app, {});
  return openApi([...app.routes, ...openidRoutes], {
    title: 'Gatehouse identity service',
    version,
    description:
      'A Keystone-v3-compatible identity API. Unless marked otherwise, a route takes a token in X-Auth-Token. Every answer has an X-Openstack-Request-Id, which the log contains, too. A query parameter must not be repeated. Flags are true, false, 1, 0, or a bare name, which means true.',
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token of a provisioning connection, a token of this service, or an OAuth2 access token.',
      },
      application: {
        type: 'http',
        scheme: 'basic',
        description: 'The id and secret of an application. They may be sent in the body instead.',
      },
    },
    securityOf: (access) => IDENTITY_SECURITY[access ?? ''] ?? ['token'],
    error: KeystoneError,
  });
}

export function walletOpenApi(): unknown {
  const app = createApp<never>();
  mountWallet(app as never, {} as WalletParts);
  mountProbes(app, {});
  return openApi(app.routes, {
    title: 'Gatehouse wallet node',
    version,
    description:
      'Keys, DIDs and verifiable credentials of users who log in through OpenID Connect. Changes with a session cookie must come from a page of the service (Origin or Sec-Fetch-Site).',
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: '__Host-gatehouse_wallet',
        description: 'Without TLS the cookie is called gatehouse_wallet.',
      },
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'Only if an audience is configured (RFC 9068).',
      },
    },
    securityOf: () => ['session', 'bearer'],
    error: Problem,
    errorType: 'application/problem+json',
  });
}
