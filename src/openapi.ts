// The OpenAPI documents of the services, printed from their routes without starting anything.

import { PROVISIONING } from './identity/caller.ts';
import { KeystoneError } from './identity/face.ts';
import { mountIdentity, type Parts } from './identity/routes.ts';
import { createApp, mountProbes, openApi } from './platform/http/index.ts';
import { version } from './version.ts';
import type { Deps } from './wallet/deps.ts';
import { Problem } from './wallet/face.ts';
import { mountWallet } from './wallet/routes.ts';

export function identityOpenApi(): unknown {
  const app = createApp<never>();
  // Only the descriptions are read; no handler runs, so nothing that handlers use is needed.
  mountIdentity(app as never, {} as Parts);
  mountProbes(app, {});
  return openApi(app.routes, {
    title: 'Gatehouse identity service',
    version,
    description: 'A Keystone-v3-compatible identity API. Every route but those marked otherwise takes a token in X-Auth-Token.',
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      bearer: { type: 'http', scheme: 'bearer', description: 'A token of a provisioning connection, or of this service.' },
    },
    securityOf: (access) => (access === PROVISIONING ? ['bearer', 'token'] : ['token']),
    error: KeystoneError,
  });
}

export function walletOpenApi(): unknown {
  const app = createApp<never>();
  mountWallet(app as never, {} as Deps);
  mountProbes(app, {});
  return openApi(app.routes, {
    title: 'Gatehouse wallet node',
    version,
    description:
      'Keys, DIDs and verifiable credentials of callers who log in through OpenID Connect. Requests that change something with a session cookie must come from a page of the service (Origin or Sec-Fetch-Site).',
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: '__Host-gatehouse_wallet' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Where an audience is configured (RFC 9068).' },
    },
    securityOf: () => ['session', 'bearer'],
    error: Problem,
    errorType: 'application/problem+json',
  });
}
