// Every method and path of Keystone, with "served" beside each, from our routes.
import { readFileSync } from 'node:fs';
import { NOT_SERVED } from '../conformance/keystone-api/not-served.ts';
import { makeIdentityDocument } from './openapi/identity/document.ts';

const PAIRS = new URL('../conformance/keystone-api/pairs.txt', import.meta.url);

export interface Pair {
  readonly method: string;
  /** As Keystone writes it: `/v3/users/{user_id}`. */
  readonly path: string;
  readonly served: boolean;
  /** Why it is not served, if that is decided. */
  readonly reason: string;
}

/** Names of parameters differ. */
const shapeOf = (path: string): string => path.replace(/\{[^}]*\}/g, '{}').replace(/(?<=.)\/$/, '');

export function keystonePairs(): Pair[] {
  const paths = makeIdentityDocument().paths as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const ours = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${shapeOf(path)}`),
    ),
  );
  return readFileSync(PAIRS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [method = '', path = ''] = line.split(' ');
      // The server answers HEAD for every GET.
      const served = ours.has(`${method} ${shapeOf(path)}`) || (method === 'HEAD' && ours.has(`GET ${shapeOf(path)}`));
      return { method, path, served, reason: NOT_SERVED.find(([pattern]) => pattern.test(line))?.[1] ?? '' };
    });
}

/** Reasons for pairs that are served, or that Keystone does not have. */
export function needlessReasons(pairs: readonly Pair[] = keystonePairs()): string[] {
  return NOT_SERVED.filter(
    ([pattern]) => !pairs.some(({ method, path, served }) => !served && pattern.test(`${method} ${path}`)),
  ).map(([pattern]) => `conformance/keystone-api/not-served.ts: ${pattern} is about nothing`);
}

export function pairsPage(): string {
  const pairs = keystonePairs();
  const rows = pairs.map(
    ({ method, path, served, reason }) => `| ${method} | \`${path}\` | ${served ? 'yes' : reason ? `no: ${reason}` : 'no'} |`,
  );
  return `# Keystone's API, and what of it is served

Generated from the code by \`npm run docs\`.

All methods and paths of Keystone 22, from the URL map of the real one ([how](../../conformance/keystone-api/README.md)), beside the routes of the identity service.
[Coming from Keystone](../guide/keystone.md) tells where the behaviour differs.

${pairs.filter(({ served }) => served).length} of ${pairs.length} are served.

| Method | Path | Served |
|---|---|---|
${rows.join('\n')}
`;
}
