// Changing how one signs in, or reading a secret of it, needs a recent login whose methods are enough by now: neither a stolen token or an
// unattended session, nor a password that somebody else knows. A second factor, or a role that requires a passkey, may be newer than the
// login. This is the only place that decides it.
import type { Clock } from '../../../platform/clock.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { Database, Reader, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type AuthMethod, keptBy, type TokenRecord } from '../context/index.ts';
import { actorAsVerified, type Caller } from './caller.ts';
import { isDelegated } from './personas.ts';

/** When the person logged in (milliseconds), if need be at another provider: a token made from a token is as old as the first one. */
export const loginTimeOf = ({ parentAuditId, issuedAt, loginAt }: TokenRecord): number =>
  loginAt ?? (parentAuditId === undefined ? issuedAt : 0);

/** How a person logged in. */
export interface PersonLogin {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
}

export interface FreshLoginDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: { readonly freshLoginSeconds: number };
  /** What a login with these methods lacks by now; undefined when it is enough. */
  missingMethods(reader: Reader, userId: string, methods: readonly AuthMethod[]): Promise<readonly string[] | undefined>;
}

const loginOf = ({ userId, token: { methods } }: Caller): PersonLogin => ({ userId, methods });

export function createFreshLogin({ db, clock, config, missingMethods }: FreshLoginDeps) {
  /** Not one that is further ahead than that, either: it was before the clock was set back, and nobody knows how long ago. */
  const isFresh = (at: number): boolean => Math.abs(clock.now() - at) <= config.freshLoginSeconds * 1000;

  /** With 401, so that clients log in again by themselves. `max_age` says how old a login may be, as in RFC 9470. */
  const refuse = (reason: string, more: object = {}): never =>
    fail('auth.required', undefined, { reason, detail: { max_age: config.freshLoginSeconds, ...more } });

  /** `missing`: names of methods. */
  const refuseWithout = (missing: readonly string[]): never =>
    refuse('the methods of the login are not enough any more', { identity: { methods: missing } });

  /** Fails when the methods of the login are not enough by now, whatever its age. In a transaction, nobody changes that before it ends. */
  async function requireEnough({ userId, methods }: PersonLogin, reader: Reader = db.read): Promise<void> {
    const missing = await missingMethods(reader, userId, methods);
    if (missing) refuseWithout(missing);
  }

  function requireFresh(caller: Caller, reason: string): void {
    if (!isFresh(loginTimeOf(caller.token))) refuse(reason);
  }

  /** Administrators who act for others need no recent login. */
  async function require(caller: Caller, userId: string, reader: Reader = db.read): Promise<void> {
    if (caller.userId !== userId) return;
    // Nobody is present when a delegation is used.
    if (isDelegated(caller)) refuse('nobody is present');
    requireFresh(caller, 'the login is too old to change or read how one signs in');
    await requireEnough(loginOf(caller), reader);
  }

  /** Checks the methods again in the transaction of the change. */
  const checkedAgain = <A extends Actor>(actor: A, login: PersonLogin): A => ({
    ...actor,
    async precondition(database: Database, tx: Tx) {
      await actor.precondition?.(database, tx);
      await requireEnough(login, tx);
    },
  });

  /** The actor of a change: of these users, if the caller is one of them. */
  const actorFor = (caller: Caller, ...userIds: readonly string[]): Actor => {
    const actor = actorAsVerified(caller, userIds[0]!);
    return userIds.includes(caller.userId) ? checkedAgain(actor, loginOf(caller)) : actor;
  };

  return {
    /** `at`: a time in milliseconds. */
    isFresh,
    require,
    requireEnough,
    refuseWithout,
    isEnough: async ({ userId, methods }: PersonLogin, reader: Reader = db.read): Promise<boolean> =>
      (await missingMethods(reader, userId, methods)) === undefined,
    checkedAgain,
    actorFor,
    /** For a change of how a user signs in. The token by which it is made stays good when the change ends the others. */
    async toChange(caller: Caller, userId: string): Promise<Actor> {
      await require(caller, userId);
      const actor = actorFor(caller, userId);
      return caller.userId === userId ? { ...actor, keeps: keptBy(caller.token, caller.authContext) } : actor;
    },
    /** For what takes a way in away, which an old login may do. */
    async toRemove(caller: Caller, userId: string): Promise<Actor> {
      if (caller.userId === userId) await requireEnough(loginOf(caller));
      return actorFor(caller, userId);
    },
    /** For what lasts longer than the token, whoever it is for. `login`: of whoever logged in, if the token names somebody else. */
    async requireRecent(caller: Caller, login = loginOf(caller)): Promise<void> {
      requireFresh(caller, 'the login is too old for this');
      await requireEnough(login);
    },
    /** For what concerns the whole service: administrators need a recent login, too, and what they passed on to a program is not enough. */
    async requireInPerson(caller: Caller, action: string): Promise<void> {
      if (isDelegated(caller)) fail('auth.forbidden', { action });
      requireFresh(caller, 'the login is too old for this');
      await requireEnough(loginOf(caller));
    },
  };
}

export type FreshLogin = ReturnType<typeof createFreshLogin>;
