// ETag and If-Match (RFC 9110, 13.1.1): two people who change the same thing do not overwrite each other without noticing.
import { Answer, type Documentation } from '../../../platform/http/index.ts';
import type { Actor } from '../audit/index.ts';
import type { Database, Tx } from '../database/index.ts';
import { fail } from '../faults.ts';
import { lockVersion, type VersionedKind, versionOf } from './versions.store.ts';

/** Documentation of a route that shows one thing. */
export const ETAG = {
  replyHeaders: { ETag: 'The version of what is shown. Send it in If-Match to change exactly this version.' },
} as const satisfies Documentation;

const IF_MATCH = {
  'If-Match': 'The ETag that was read before, or several. 412 if the thing was changed since, and nothing is done.',
} as const;

/** Documentation of a route that changes one thing. */
export const CHANGE_IF_MATCH = { ...ETAG, headers: IF_MATCH } as const satisfies Documentation;
export const DELETE_IF_MATCH = { headers: IF_MATCH } as const satisfies Documentation;

export const etagOf = (row: object): string => `"${versionOf(row)}"`;

/** An answer that shows a row, with its ETag. */
export const withEtag = (row: object, body: unknown): Answer => new Answer({ body, headers: { ETag: etagOf(row) } });

/** Undefined for `*`. Proxies that compress an answer make its ETag weak; it still names the same version. */
function versionsIn(header: string): string[] | undefined {
  return header.trim() === '*'
    ? undefined
    : [...header.matchAll(/(?:^|,)\s*(?:W\/)?"([^"]*)"\s*(?=,|$)/g)].map(([, tag]) => tag!);
}

/** Whether a request with this If-Match may change what has this version. */
export function isMatch(header: string | undefined, version: string | undefined): boolean {
  if (header === undefined) return true;
  const versions = versionsIn(header);
  return version !== undefined && (!versions || versions.includes(version));
}

/** The same for a row as it is shown; undefined: there is none. */
export const isMatchOf = (header: string | undefined, row: object | undefined): boolean => isMatch(header, row && versionOf(row));

/**
 * The caller, for a change of one thing. With If-Match the change fails if the thing has another version. This is decided in the
 * transaction of the change, with the row locked.
 */
export function callerIfMatch<C extends Actor>(
  kind: VersionedKind,
  { caller, headers, target }: { caller: C; headers: { 'if-match'?: string | undefined }; target: { id: string } },
): C {
  const header = headers['if-match'];
  if (header === undefined) return caller;
  const { id } = target;
  return {
    ...caller,
    async precondition(db: Database, tx: Tx): Promise<void> {
      if (!isMatch(header, await lockVersion(db, tx, kind, id))) fail('resource.changed', { kind, id });
    },
  };
}
