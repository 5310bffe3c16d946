// Ids of operations, from method and path: `GET /v3/users/:user_id/groups` is listUserGroups. Generators name functions by them, so
// they change only when the path does.
import type { Method } from '../../src/platform/http/index.ts';

/** Parts of paths that say nothing, such as the version. */
const SILENT = new Set(['v3', 'api-v1', 'wallet', '.well-known']);
/** Last parts of paths that are verbs: `POST /keys/:id/rotate` is rotateKey. */
const VERBS = new Set(['activate', 'cancel', 'expire', 'publish', 'resend', 'retry', 'revoke', 'rotate', 'unpublish']);

const singularOf = (word: string): string =>
  word.replace(/ies$/, 'y').replace(/(ss|status)$|s$/i, (whole, kept: string | undefined) => kept ?? whole.slice(1));
const isPlural = (word: string): boolean => singularOf(word) !== word;
const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
/** A part of a path in words, each with a capital: `two_factor_auth` is TwoFactorAuth. */
const camel = (part: string): string =>
  part
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => capitalize(/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word))
    .join('');

export interface OperationIdOptions {
  /** Ids of routes for which another makes more sense, as in `PUT /things/:id`. */
  readonly ids: Readonly<Record<string, string>>;
  /** Words for parts of paths, with their version as in `scim-v2`; empty for those that say nothing. */
  readonly words: Readonly<Record<string, string>>;
}

const PREFIXES: Readonly<Record<Method, string>> = {
  GET: 'get',
  HEAD: 'check',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
};

export function operationId(method: Method, path: string, answersNothing: boolean, { ids, words }: OperationIdOptions): string {
  const given = ids[`${method} ${path}`];
  if (given !== undefined) return given;
  const parts = path
    .replace(/(?<!^)\/(?=v\d+\/)/g, '-')
    .split('/')
    .filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  const isVerb = VERBS.has(last);
  const named = (isVerb ? parts.slice(0, -1) : parts).filter((part) => !SILENT.has(part));
  const nouns = named.flatMap((part, index) => {
    if (part.startsWith(':')) return [];
    const isOne = named[index + 1]?.startsWith(':') || (index === named.length - 1 && method === 'POST' && isPlural(part));
    const word = words[part] ?? part;
    return word === '' ? [] : [camel(isOne ? singularOf(word) : word)];
  });
  const noun = nouns.join('') || 'Root';
  if (isVerb) return `${last}${noun}`;
  const isList = method === 'GET' && !last.startsWith(':') && isPlural(last);
  const verb = isList ? 'list' : method === 'GET' && answersNothing ? 'check' : PREFIXES[method];
  return `${verb}${noun}`;
}
