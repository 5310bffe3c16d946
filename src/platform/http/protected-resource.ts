// What programs can read about an API that takes access tokens (RFC 9728): whose tokens, and which scopes. A refusal names its address.
import * as t from './schema.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export const ProtectedResource = t.object({
  resource: t.string(),
  resource_name: t.string(),
  authorization_servers: t.array(t.string()),
  scopes_supported: t.array(t.string()),
  bearer_methods_supported: t.array(t.string()),
});
t.name({ ProtectedResource });

/** Where it is told about the API at this path; an empty one is the service itself. */
export const protectedResourcePath = <const Path extends string>(path: Path): `${typeof WELL_KNOWN}${Path}` =>
  `${WELL_KNOWN}${path}`;

/** The part of a challenge that says so (RFC 9728, 5.1). */
export const resourceMetadata = (issuer: string, path: string): string =>
  `resource_metadata="${issuer}${protectedResourcePath(path)}"`;

/** For the API document. */
export const exampleOfResource = (path: string, name: string, scopes: readonly string[]) => ({
  example: { answers: { 200: protectedResource('http://127.0.0.1:5000', path, name, scopes) } },
});

/** Of an API of the provider itself. */
export const protectedResource = (issuer: string, path: string, name: string, scopes: readonly string[]) => ({
  resource: `${issuer}${path}`,
  resource_name: name,
  authorization_servers: [issuer],
  scopes_supported: [...scopes],
  bearer_methods_supported: ['header'],
});
