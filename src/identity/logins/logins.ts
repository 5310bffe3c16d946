// Logins, good and bad, as audit events: who, from where, how, and why not; and passwords that are asked for again, likewise. What was
// typed for a name that nobody has is not written down: it may be a password.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../platform/clock.ts';
import { withBudget } from '../../platform/database/index.ts';
import { addressKey, Throttle } from '../../platform/limits/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { RunChange } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { Fault } from '../faults.ts';
import type { PasswordCheck } from '../passwords/index.ts';
import type { Attempt, Whom } from './attempt.ts';
import { replaceEvent } from './logins.store.ts';
import { reasonOf, refused } from './refused.ts';

/** Events of one address about names nobody has, in ten minutes, and the last one beyond them; the log has all of them. */
const UNKNOWN = { attempts: 10, perSeconds: 600 };

/** How long a login waits for its event to be stored. */
const EVENT_MS = 1_500;

const API = 'api';
const REFUSED = 'user.login_refused';
/** In the place of an id. */
const NOBODY = 'unknown';

export function createLogins({ db, change, clock, log }: { db: Database; change: RunChange; clock: Clock; log: Log }) {
  const unknown = new Throttle(UNKNOWN, clock);
  const running = new Set<Promise<unknown>>();

  async function write(attempt: Attempt, userId: string | undefined, methods: readonly string[], reason?: string): Promise<void> {
    const { address, requestId, via = API, purpose } = attempt;
    const why = reason === undefined ? {} : { reason };
    const detail = { address, methods, via, ...(purpose === undefined ? {} : { purpose }), ...why };
    const good = reason === undefined;
    try {
      const store = () =>
        change({ userId: good ? userId! : null, requestId }, async ({ audit }) =>
          audit(
            good ? (purpose === undefined ? 'user.logged_in' : 'user.password_proved') : REFUSED,
            { kind: 'user', id: userId ?? NOBODY },
            detail,
            good ? 'success' : 'failure',
          ),
        );
      const isOneTooMany = userId === undefined && !unknown.has(addressKey(address));
      if (userId === undefined && !isOneTooMany) unknown.take(addressKey(address));
      // A time of its own: what a locked table costs must not be taken from the login.
      await withBudget(isOneTooMany ? () => storeLast(address, requestId, detail) : store, EVENT_MS);
    } catch (err) {
      // A database that cannot be written to must not keep the administrator out who could mend it.
      log.warn({ request_id: requestId, user: userId ?? NOBODY, ...detail, err }, 'login event not stored');
    }
  }

  /** In the place of the one before: strangers do not fill the table, and what was not written would be answered sooner, which tells. */
  function storeLast(address: string, requestId: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const at = seconds(clock);
    const place = `${addressKey(address)} ${Math.floor(at / UNKNOWN.perSeconds)}`;
    const row = {
      id: createHash('sha256').update(place).digest('hex').slice(0, 32),
      at,
      request_id: requestId,
      actor_id: null,
      action: REFUSED,
      target_kind: 'user',
      target_id: NOBODY,
      outcome: 'failure',
      detail: JSON.stringify(detail),
    };
    return db.write((tx) => replaceEvent(tx, row));
  }

  /** Runs a login. When it is refused that is an event, and the log line says whom it was about. */
  function witness<T>(attempt: Attempt, methods: readonly string[], work: (attempt: Attempt) => Promise<T>): Promise<T> {
    const login = witnessed(attempt, methods, work);
    running.add(login);
    const over = () => void running.delete(login);
    login.then(over, over);
    return login;
  }

  return {
    good: (attempt: Attempt, userId: string, methods: readonly string[]): Promise<void> => write(attempt, userId, methods),

    witness,

    /**
     * A password that is asked for again, for what `purpose` says: refused unless it is one of those that are accepted. A right one is
     * an event as well, whatever becomes of what it was for: else it could be tried without a trace.
     */
    confirm(
      attempt: Attempt & { readonly purpose: string },
      userId: string | undefined,
      check: () => Promise<PasswordCheck>,
      accepted: readonly PasswordCheck[] = ['good'],
    ): Promise<void> {
      return witness(attempt, ['password'], async ({ whom }) => {
        if (whom && userId !== undefined) whom.userId = userId;
        const found = await check();
        if (userId === undefined || !accepted.includes(found)) throw refused(reasonOf(found));
        await write(attempt, userId, ['password']);
      });
    },

    /** When none is under way: those whose clients have gone have no connection that would tell. */
    async settled(): Promise<void> {
      await Promise.allSettled(running);
    },
  };

  async function witnessed<T>(attempt: Attempt, methods: readonly string[], work: (attempt: Attempt) => Promise<T>): Promise<T> {
    const whom: Whom = {};
    try {
      return await work({ ...attempt, whom });
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 401) throw error;
      const reason = error.reason ?? error.code;
      await write(attempt, whom.userId, methods, reason);
      const told = `${reason}; ${whom.userId === undefined ? 'unknown user' : `user ${whom.userId}`}`;
      // Pages answer it themselves: the line of the request would not say whom it was about.
      const { requestId, via = API } = attempt;
      if (via !== API) log.info({ request_id: requestId, code: error.code, reason: told }, 'request refused');
      throw error.code === 'auth.required' ? refused(told) : error;
    }
  }
}

export type Logins = ReturnType<typeof createLogins>;
