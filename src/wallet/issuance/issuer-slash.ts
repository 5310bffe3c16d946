// An issuer whose identifier ends in `/` keeps it: its metadata are at the well-known address with its path as it is written (OID4VCI 1.0,
// 12.2.2; RFC 8414, 3.1 removes the slash, for authorization servers). The library removes it (joinUriParts of @openid4vc/utils 0.4.6), so that
// such an issuer would be asked at the address of another one.
import type { CallbackContext } from '@openid4vc/oauth2';

const WELL_KNOWN = '/.well-known/openid-credential-issuer';
const NOT_FOUND = 404;

/** For the metadata of one issuer. Those who serve theirs only without the slash are asked there, too. */
export function withIssuerSlash(callbacks: CallbackContext, issuer: string | undefined): CallbackContext {
  const { origin, pathname } = URL.parse(issuer ?? '') ?? {};
  if (origin === undefined || !pathname?.endsWith('/') || pathname === '/') return callbacks;
  const [exact, stripped] = [`${origin}${WELL_KNOWN}${pathname}`, `${origin}${WELL_KNOWN}${pathname.slice(0, -1)}`];
  return {
    ...callbacks,
    fetch: async (input, init) => {
      const response = await callbacks.fetch!(String(input) === stripped ? exact : input, init);
      return String(input) === stripped && response.status === NOT_FOUND ? callbacks.fetch!(input, init) : response;
    },
  };
}
