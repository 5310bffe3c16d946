// The OpenAPI documents of both services. `npm run docs` makes them of the routes (scripts/openapi); the services and the command show
// these files.
import { readFileSync } from 'node:fs';

type Document = Readonly<Record<string, unknown>>;

function documentOf(service: 'identity' | 'wallet', address: string | undefined): Document {
  const file = new URL(`../docs/api/${service}.openapi.json`, import.meta.url);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document & { readonly servers: readonly [object] };
  return address === undefined ? document : { ...document, servers: [{ ...document.servers[0], url: address }] };
}

export const identityOpenApi = (address?: string): Document => documentOf('identity', address);
export const walletOpenApi = (address?: string): Document => documentOf('wallet', address);
