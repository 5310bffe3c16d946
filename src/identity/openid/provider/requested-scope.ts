// A request must ask for something. The library looks at that last: it would ask for the password first, and end with a bare access_denied.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { SCOPES } from './accounts.ts';
import type { OidcProviderLibrary } from './library.ts';

const NOTHING = `the request has no scope that is known here; there are ${SCOPES.join(', ')}`;

/** There is no default scope, so a request without one is refused (RFC 6749, 3.3); also one that is pushed, or from a device. */
export const needsScope =
  ({ errors }: OidcProviderLibrary) =>
  ({ oidc }: KoaContextWithOIDC): void => {
    const { requestParamOIDCScopes, requestParamScopes, resourceServers = {}, params } = oidc;
    const isKnown =
      requestParamOIDCScopes.size > 0 ||
      params?.authorization_details !== undefined ||
      Object.values(resourceServers).some(({ scopes }) => [...requestParamScopes].some((one) => scopes.has(one)));
    // The library has taken unknown ones out of the parameter, so they cannot be named.
    if (!isKnown) throw new errors.InvalidScope(NOTHING, (params?.scope || undefined) as string);
  };
