// What the service stores about a person, as a file. Its form is described in docs/guide/account-data.md.
import { isoTime } from '../../../platform/clock.ts';
import { Throttle } from '../../../platform/limits/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { AuditEventRow } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { visibleEvent } from '../audit-events/index.ts';
import { readEvents } from './personal-data.store.ts';
import { type SessionReader, sectionsWith } from './sections.ts';

const FORMAT = 'gatehouse-personal-data';
const VERSION = 1;
/** Events that are read at once: memory and the time of a query stay bounded, however many there are. */
const PAGE = 500;
/** Everything about a person is read for each file. */
const FILES = { attempts: 10, perSeconds: 3600 };

/** Other people are not named, and neither is where they were: that is their data. The details are those that people see at /account. */
function eventOf(row: AuditEventRow, userId: string) {
  const { detail } = visibleEvent(row, { userId }, false);
  const by = row.actor_id === userId ? 'the person' : row.actor_id === null ? 'the service' : 'someone else';
  return { at: isoTime(row.at * 1000), action: row.action, outcome: row.outcome, by, detail };
}

export function createPersonalData({
  db,
  clock,
  change,
  sessions,
  rateLimits,
}: Pick<Deps, 'db' | 'clock' | 'change'> & { readonly sessions: SessionReader; readonly rateLimits: boolean }) {
  const sections = sectionsWith(sessions);
  const files = new Throttle(rateLimits ? FILES : undefined, clock);

  /** The text of the file, in pieces. */
  async function* write(userId: string): AsyncGenerator<string> {
    yield `{\n"format": "${FORMAT}",\n"version": ${VERSION},\n"made_at": "${isoTime(clock.now())}"`;
    for (const [name, read] of sections)
      yield `,\n"${name}": ${JSON.stringify((await read(db.lists, userId)) ?? null, undefined, 1)}`;
    yield ',\n"events": [';
    let separator = '\n';
    for (let last: AuditEventRow | undefined; ; ) {
      const page = await readEvents(db.lists, userId, last, PAGE);
      for (const row of page) {
        yield separator + JSON.stringify(eventOf(row, userId));
        separator = ',\n';
      }
      last = page.at(-1);
      if (page.length < PAGE) break;
    }
    yield '\n]\n}\n';
  }

  return {
    /** The event is stored before anything is read. Fails when the account changed since the actor was checked. */
    async file(actor: Actor & { readonly epoch: number }, userId: string): Promise<AsyncGenerator<string>> {
      files.take(userId);
      await change(actor, async ({ audit }) => audit('user.data_exported', { kind: 'user', id: userId }));
      return write(userId);
    },
  };
}

export type PersonalData = ReturnType<typeof createPersonalData>;
