// The OpenAPI documents of the services, printed from their routes without starting anything.

import { PROVISIONING } from './identity/caller.ts';
import { KeystoneError } from './identity/face.ts';
import { mountIdentity, type Parts } from './identity/routes.ts';
import { createApp, mountProbes, openApi } from './platform/http/index.ts';
import { version } from './version.ts';

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
