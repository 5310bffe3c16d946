// Notices that somebody has left a directory before the next synchronization does: at a sign-in without a password, and when a session is used.
import type { Clock } from '../../../platform/clock.ts';
import { inBackground, untilDeadline } from '../../../platform/deadline.ts';
import { Fault } from '../../../platform/faults/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { waitAtMost } from '../../../platform/wait-at-most.ts';
import type { DirectoryClients } from './clients.ts';
import type { UserClosing } from './close-users.rules.ts';
import type { UserEntryRow } from './directories.store.ts';
import type { Directory } from './directory.ts';
import type { DirectoryUser } from './entries.ts';
import { isEntryOf } from './identity.ts';

/** How long the use of a session waits for the directory. */
const PATIENCE_MS = 3000;

interface DepartureDeps extends Pick<UserClosing, 'closeUsers'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly clients: Pick<DirectoryClients, 'of'>;
  /** Writes what an entry says. */
  keepOne(directory: Directory, domainId: string, user: DirectoryUser): Promise<string | undefined>;
}

export function createDepartures({ clock, log, clients, keepOne, closeUsers }: DepartureDeps) {
  /** The person is refused all the same. */
  const notWritten = (err: unknown): void =>
    log.error({ err }, 'a user who left the directory could not be disabled; it will be tried again');

  /**
   * Not when another entry has the id, too: then nobody knows whose it is. Nor when the directory shows nobody at all, as in a
   * synchronization: closing cannot be undone for programs, and not at all where nothing tells who comes back.
   */
  async function closeIfGone({ domain_id: domainId, local_id, user_id }: UserEntryRow, asked: number): Promise<boolean> {
    const directory = await clients.of(domainId);
    if (!directory || (await directory.usersById([local_id])).some(({ localId }) => localId === local_id)) return false;
    if (!(await directory.showsAnybody())) {
      log.warn({ domain: domainId }, 'the directory returns no users, so nobody is disabled; check its settings');
      return false;
    }
    await closeUsers(domainId, [user_id], asked).catch(notWritten);
    return true;
  }

  /** Writes nothing while the entry is as it was. */
  async function ask(entry: UserEntryRow): Promise<boolean> {
    const asked = clock.now();
    const directory = await clients.of(entry.domain_id);
    const user = await directory?.findUser(entry.local_id);
    if (!directory || !user) return closeIfGone(entry, asked);
    if (user.enabled && isEntryOf(entry, user)) return false;
    await keepOne(directory, entry.domain_id, user).catch(notWritten);
    return true;
  }

  function noAnswer(error: unknown): false {
    if (!(error instanceof Fault)) log.error({ err: error }, 'the directory of somebody who is signed in cannot be asked');
    return false;
  }

  /** By user. A request may ask several times; together it waits once. */
  const underWay = new Map<string, { readonly answer: Promise<boolean>; readonly patienceEnds: number }>();

  function begin(entry: UserEntryRow) {
    // An answer that comes later still closes the account.
    const answer = inBackground(() => ask(entry))
      .catch(noAnswer)
      .finally(() => underWay.delete(entry.user_id));
    const begun = { answer, patienceEnds: performance.now() + PATIENCE_MS };
    underWay.set(entry.user_id, begun);
    return begun;
  }

  return {
    closeIfGone,

    async hasLeft(entry: UserEntryRow): Promise<boolean> {
      const { answer, patienceEnds } = underWay.get(entry.user_id) ?? begin(entry);
      let hasLeft = false;
      const answered = answer.then((left) => {
        hasLeft = left;
      });
      const patience = patienceEnds - performance.now();
      if (patience > 0) await untilDeadline(waitAtMost(patience, answered));
      return hasLeft;
    },
  };
}
