// The last requests of each connection, for an administrator who looks for what went wrong. They wait in memory and are written together
// every few seconds: a write for each request would cost as much as the request itself. A process that is killed loses the last seconds.
import { seconds } from '../../../../platform/clock.ts';
import { newTimedId } from '../../../../platform/ids.ts';
import { type Job, repeat } from '../../../../platform/jobs/index.ts';
import type { ScimRequestRow } from '../../../ground/database/index.ts';
import { type Fault, identityFaults } from '../../../ground/faults.ts';
import type { Deps } from '../../../ground/resource/index.ts';
import { scimTypeOf } from '../standard/error-format.ts';
import { deleteExcess, deleteRequestsBefore, FAILED, insertRequests, type Outcome } from './requests.store.ts';

/** Of each connection. Failures have a limit of their own, so that successful requests do not push them out. */
export const KEEP: Readonly<Record<Outcome, number>> = { failure: 100, success: 50 };
export const KEEP_DAYS = 14;
const WRITE_MS = 5_000;
const SWEEP_MS = 3_600_000;

/** Names of addresses. Anything else in a path may be the id or the name of a person. */
const WORDS = new Set(
  'scim v2 Users Groups Organizations Roles Entitlements Me Bulk .search Schemas ResourceTypes ServiceProviderConfig'.split(' '),
);

/** The pattern of a path: without ids, names and the query. `route` is the pattern of its route, if it has one. */
export function patternOf(route: string, url: string): string {
  if (route.startsWith('/')) return route.replace(/:(\w+)/g, '{$1}');
  const parts = url.split('?', 1)[0]!.split('/').slice(1, 7);
  return parts.map((part) => `/${WORDS.has(part) ? part : '…'}`).join('');
}

/** Values in the texts of errors that say nothing about people. `name` and `path` of SCIM's errors are those of attributes. */
const HARMLESS = new Set(['field', 'why', 'kind', 'action', 'limit', 'least', 'most', 'count', 'days', 'seconds']);
const ATTRIBUTES = new Set(['name', 'path']);

/** In texts, what a client sent is in quotes. A bulk operation names a resource by its address. */
const withoutPeople = (text: string): string =>
  text.startsWith('/') ? patternOf('none', text) : text.replace(/"(?:[^"\\]|\\.)*"?/g, '"…"').replace(/\S*@\S*/g, '…');

/** The text of an error, without the values that may name a person. */
export function detailOf({ code, values }: Pick<Fault, 'code' | 'values'>): string {
  const table: Readonly<Record<string, { readonly text: string }>> = identityFaults;
  const isKept = (name: string): boolean => HARMLESS.has(name) || (code.startsWith('scim.') && ATTRIBUTES.has(name));
  return (table[code]?.text ?? code)
    .replace(/\{(\w+)\}/g, (_, name: string) => (isKept(name) ? withoutPeople(String(values[name] ?? '')) : '…'))
    .slice(0, 500);
}

export interface RequestOutcome {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly refusal: Fault | undefined;
  /** Instead of the text of the refusal. */
  readonly detail?: string;
}

export function createConnectionRequests({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>) {
  let waiting: ScimRequestRow[] = [];
  /** How many of them each connection has, by outcome: what would not be kept does not wait either. */
  let counts = new Map<string, number>();
  let writing: Promise<void> = Promise.resolve();

  function add(row: ScimRequestRow): void {
    const outcome: Outcome = row.status >= FAILED ? 'failure' : 'success';
    const key = `${row.connection_id} ${outcome}`;
    const count = counts.get(key) ?? 0;
    if (count < KEEP[outcome]) counts.set(key, count + 1);
    else {
      const oldest = waiting.findIndex(
        ({ connection_id, status }) => connection_id === row.connection_id && status >= FAILED === (outcome === 'failure'),
      );
      waiting.splice(oldest, 1);
    }
    waiting.push(row);
  }

  async function writeWaiting(): Promise<void> {
    const rows = waiting;
    if (rows.length === 0) return;
    [waiting, counts] = [[], new Map()];
    try {
      await db.write(async (tx) => {
        await insertRequests(tx, rows);
        await deleteExcess(tx, [...new Set(rows.map(({ connection_id }) => connection_id))], KEEP);
      });
    } catch (error) {
      const newer = waiting;
      [waiting, counts] = [[], new Map()];
      for (const row of [...rows, ...newer]) add(row);
      throw error;
    }
  }

  /** Writes are made one after the other. */
  function flush(): Promise<void> {
    writing = writing.catch(() => undefined).then(writeWaiting);
    return writing;
  }

  let jobs: Job[] = [];
  const failure = 'could not store the requests of provisioning connections';

  return {
    record(
      connectionId: string,
      {
        requestId,
        milliseconds,
        answered,
      }: { readonly requestId: string; readonly milliseconds: number | null; readonly answered: number },
      { method, path, status, refusal, detail }: RequestOutcome,
    ): void {
      add({
        id: newTimedId(answered),
        connection_id: connectionId,
        at: Math.floor(answered / 1000),
        method,
        path,
        status,
        detail: detail ?? (refusal ? detailOf(refusal) : null),
        scim_type: refusal ? (scimTypeOf(refusal.code) ?? null) : null,
        milliseconds: milliseconds === null ? null : Math.round(milliseconds),
        request_id: requestId,
      });
    },

    /** Stores what waits in this process, so that it can be read. A failure is only logged. */
    stored: (): Promise<void> => flush().catch((err: unknown) => log.warn({ err }, failure)),

    start(): void {
      const sweep = (): Promise<void> => db.write((tx) => deleteRequestsBefore(tx, seconds(clock) - KEEP_DAYS * 86_400));
      jobs = [
        repeat({ everyMs: WRITE_MS, run: flush, log, failure, logsOnce: true }),
        repeat({ everyMs: SWEEP_MS, run: sweep, log, failure: 'could not delete old requests of provisioning connections' }),
      ];
    },

    /** After the server has answered its last request. */
    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
      await flush().catch((err: unknown) => log.warn({ err }, failure));
    },
  };
}

export type ConnectionRequests = ReturnType<typeof createConnectionRequests>;
