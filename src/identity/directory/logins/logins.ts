// Writes audit events for logins, successful and refused, and for confirmed passwords. An unknown user name is not written: it may be a
// password typed into the wrong field.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { withShorterDeadline } from '../../../platform/deadline.ts';
import { addressKey, Throttle } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { METHODS } from '../../access/context/index.ts';
import { columnsOf, type RunChange } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { Fault } from '../../ground/faults.ts';
import type { PasswordCheck } from '../passwords/index.ts';
import type { LoginAttempt, LoginSubject } from './attempt.ts';
import { loginRefused, refusalReason } from './login-refused.ts';
import { replaceEvent } from './logins.store.ts';
import { refusalWord } from './refusals.ts';

/** Events about unknown users for one address in ten minutes. Further ones share one event; the log has all of them. */
const UNKNOWN_USERS = { attempts: 10, perSeconds: 600 };

/** How long a login waits for its event to be stored: a little longer than for one lock. */
const EVENT_MS = 2_500;

const MAX_USER_AGENT = 255;
const API = 'api';
const REFUSED = 'user.login_refused';
/** Target id of events about unknown users. */
const NOBODY = 'unknown';

/** Since the start, for the metrics. */
export interface LoginCounts {
  /** By the methods of the login. */
  readonly good: Record<string, number>;
  readonly refused: Record<string, number>;
}

/** All that a login can be made of, in the order of the label. Whatever else comes is not a label. */
const METHOD_NAMES = [...METHODS, 'device', 'recovery_code'];
const add = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

export function createLoginEvents({ db, change, clock, log }: { db: Database; change: RunChange; clock: Clock; log: Log }) {
  const unknownUsers = new Throttle(UNKNOWN_USERS, clock);
  const running = new Set<Promise<unknown>>();
  const counts: LoginCounts = { good: {}, refused: {} };

  async function write(
    attempt: LoginAttempt,
    userId: string | undefined,
    methods: readonly string[],
    reason?: string,
  ): Promise<void> {
    const { address, requestId, via = API, purpose, userAgent } = attempt;
    const agent = userAgent === undefined ? {} : { user_agent: userAgent.slice(0, MAX_USER_AGENT) };
    const why = reason === undefined ? {} : { reason };
    const detail = { address, ...agent, methods, via, ...(purpose === undefined ? {} : { purpose }), ...why };
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
      const isOverLimit = userId === undefined && !unknownUsers.has(addressKey(address));
      if (userId === undefined && !isOverLimit) unknownUsers.take(addressKey(address));
      // A locked table must not use up the time of the login.
      await withShorterDeadline(isOverLimit ? () => replaceLast(address, requestId, detail) : store, EVENT_MS);
    } catch (err) {
      // An administrator must be able to log in and repair a database that cannot be written.
      log.warn({ request_id: requestId, user: userId ?? NOBODY, ...detail, err }, 'login event not stored');
    }
  }

  /** Replaces the previous event, so that strangers cannot fill the table. Not writing at all would change the response time. */
  function replaceLast(address: string, requestId: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const at = seconds(clock);
    // No period has two months.
    const since = at - (at % UNKNOWN_USERS.perSeconds);
    const period = `${addressKey(address)} ${since / UNKNOWN_USERS.perSeconds}`;
    const row = {
      id: createHash('sha256').update(period).digest('hex').slice(0, 32),
      at,
      request_id: requestId,
      actor_id: null,
      action: REFUSED,
      target_kind: 'user',
      target_id: NOBODY,
      outcome: 'failure',
      detail: JSON.stringify(detail),
    };
    return db.write(async (tx) => {
      // Asked as for every event, although nobody has no domain: a query less would tell that there is no such user.
      const [columns] = await columnsOf(tx, [{ ...row, kind: row.target_kind, id: NOBODY, detail }]);
      await replaceEvent(tx, { ...row, ...columns! }, since);
    });
  }

  /** Runs a login. A refused one is written as an event and logged with its user. */
  function recordLogin<T>(
    attempt: LoginAttempt,
    methods: readonly string[],
    work: (attempt: LoginAttempt) => Promise<T>,
  ): Promise<T> {
    const login = runRecorded(attempt, methods, work);
    running.add(login);
    const over = () => void running.delete(login);
    login.then(over, over);
    return login;
  }

  return {
    counts,

    recordSuccess(attempt: LoginAttempt, userId: string, methods: readonly string[]): Promise<void> {
      add(counts.good, METHOD_NAMES.filter((name) => methods.includes(name)).join('+'));
      return write(attempt, userId, methods);
    },

    recordLogin,

    /**
     * Confirms a password for `purpose`. Fails unless the result, which it returns, is one of `accepted`. A correct password is an event too,
     * even if the purpose fails afterwards: otherwise passwords could be tried without a trace.
     */
    confirmPassword(
      attempt: LoginAttempt & { readonly purpose: string },
      userId: string | undefined,
      check: () => Promise<PasswordCheck>,
      accepted: readonly PasswordCheck[] = ['good'],
    ): Promise<PasswordCheck> {
      return recordLogin(attempt, ['password'], async ({ subject }) => {
        if (subject && userId !== undefined) subject.userId = userId;
        const found = await check();
        if (userId === undefined || !accepted.includes(found)) throw loginRefused(refusalReason(found));
        await write(attempt, userId, ['password']);
        return found;
      });
    },

    /** Resolves when no login is running, including those whose clients have disconnected. */
    async settled(): Promise<void> {
      await Promise.allSettled(running);
    },
  };

  async function runRecorded<T>(
    attempt: LoginAttempt,
    methods: readonly string[],
    work: (attempt: LoginAttempt) => Promise<T>,
  ): Promise<T> {
    const subject: LoginSubject = {};
    try {
      return await work({ ...attempt, subject });
    } catch (error) {
      add(counts.refused, refusalWord(error));
      if (!(error instanceof Fault) || error.status !== 401) throw error;
      const reason = error.reason ?? error.code;
      await write(attempt, subject.userId, methods, reason);
      const description = `${reason}; ${subject.userId === undefined ? 'unknown user' : `user ${subject.userId}`}`;
      // Pages handle the refusal themselves, so it would not be in the log line of the request.
      const { requestId, via = API } = attempt;
      if (via !== API) log.info({ request_id: requestId, code: error.code, reason: description }, 'request refused');
      throw error.code === 'auth.required' ? loginRefused(description) : error;
    }
  }
}

export type LoginEvents = ReturnType<typeof createLoginEvents>;
