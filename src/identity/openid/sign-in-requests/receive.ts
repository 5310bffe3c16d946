// A request of an application that a person signs in: who is meant, and whether they see it.
import { seconds } from '../../../platform/clock.ts';
import { lockRow } from '../../../platform/database/index.ts';
import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import { mayAskPeople } from '../../applications/consumers/index.ts';
import { isEmailConfirmed, recipientOf, type Users } from '../../directory/users/index.ts';
import { type Change, serviceActor } from '../../ground/audit/index.ts';
import type { ConsumerRow, UserRow } from '../../ground/database/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Records, ValidRecord } from '../records/index.ts';
import { askedIn } from './asked.ts';
import type { SignInRequestChoices } from './choices.ts';
import { nothingToDo, unlessNothing } from './nothing-to-do.ts';
import { decideRequest, requestsSince } from './sign-in-requests.store.ts';
import type { Hint } from './tasks.ts';

const HOUR = 3600;
/** For how long a request counts. */
export const COUNTED_SECONDS = HOUR;
/** Of one person. An application that asks more often is not told so: whoever asks about nobody gets the same answers. */
const MOST = { waiting: 10, waitingOfOne: 3, hourly: 30, hourlyOfOne: 10, hourlyWithheld: 100 };
/** Longer texts are no names. */
const LONGEST_NAME = 255;

/** Why a person does not see a request. */
type Reason = 'limit' | 'off' | 'wrong code' | 'not for the person';

export interface ReceiveDeps extends Pick<Deps, 'db' | 'clock' | 'change' | 'log'> {
  readonly users: Users;
  readonly records: Records;
  readonly mail: Mail;
  readonly clientRegistration: Pick<ClientRegistration, 'refusal'>;
  readonly choices: SignInRequestChoices;
}

export function createReceive(deps: ReceiveDeps) {
  const { db, clock, log, change, users, records, mail, clientRegistration, choices } = deps;

  /** As at the sign-in: by the name, in the default domain first. Or by an address that one person has proved to be theirs. */
  async function byName(name: string): Promise<UserRow | undefined> {
    if (name === '' || name.length > LONGEST_NAME || name.includes('\0')) return undefined;
    const named = await users.findByName(DEFAULT_DOMAIN, name);
    if (named) return named;
    const elsewhere = await users.findInAllDomains(name);
    if (elsewhere.length > 0) return elsewhere.length === 1 ? elsewhere[0] : undefined;
    const owners = (await users.findByEmail(undefined, name)).filter(isEmailConfirmed);
    return owners.length === 1 ? owners[0] : undefined;
  }

  const personOf = async ({ name, userId }: Hint): Promise<UserRow | undefined> =>
    userId === undefined ? byName(name ?? '') : users.find(userId);

  async function isTooMuch({ tx }: Change, userId: string, consumerId: string): Promise<boolean> {
    const now = seconds(clock);
    const all = await requestsSince(tx, userId, now - COUNTED_SECONDS);
    const own = all.filter((one) => one.consumer_id === consumerId);
    const waits = (rows: typeof all) => rows.filter((one) => one.state === 'asked' && one.expires_at > now).length;
    // One application must not use up what others may ask: of theirs, only those count that the person saw.
    const seen = all.filter(({ state }) => state !== 'withheld');
    // But many applications together must not guess a code.
    const withheld = all.length - seen.length;
    if (withheld >= MOST.hourlyWithheld && (await choices.asksForCode(tx, userId))) return true;
    return (
      seen.length >= MOST.hourly ||
      own.length >= MOST.hourlyOfOne ||
      waits(all) >= MOST.waiting ||
      waits(own) >= MOST.waitingOfOne
    );
  }

  async function reasonAgainst(
    transaction: Change,
    user: UserRow,
    consumer: ConsumerRow,
    code: string | undefined,
    scopes: readonly string[],
  ): Promise<Reason | undefined> {
    const refusal = await clientRegistration.refusal(consumer, user.id, { redirectUri: undefined, scopes });
    if (refusal !== undefined) return 'not for the person';
    // Before the code, so that it is not guessed.
    if (await isTooMuch(transaction, user.id, consumer.id)) return 'limit';
    const allowed = await choices.allows(transaction.tx, user.id, code);
    return allowed === 'yes' ? undefined : allowed;
  }

  async function tell(transaction: Change, user: UserRow, application: string, lifetime: number): Promise<void> {
    const { address: to, name, language } = recipientOf(user);
    const values = { name, application, at: clock.now() };
    const letter = { domainId: user.domain_id, template: 'sign-in-requested', language, values, seconds: lifetime } as const;
    if (to !== undefined) await mail.enqueue(transaction, { to, ...letter });
  }

  /** In the transaction: the person is locked, so that those that come at once are counted one after the other. */
  async function decide(
    transaction: Change,
    userId: string,
    { payload, id }: ValidRecord,
    code: string | undefined,
  ): Promise<void> {
    const { tx, audit } = transaction;
    const about = { kind: 'user', id: userId };
    const user = await users.lock(tx, userId);
    const domain = user && (await findProject(tx, user.domain_id));
    if (user?.enabled !== 1 || domain?.enabled !== 1) return nothingToDo();
    const { clientId, scope, requested } = askedIn(payload);
    const consumer = await lockRow(db, tx, 'consumers', clientId, 'share');
    if (!consumer || !mayAskPeople(consumer, scope.split(' '))) return nothingToDo();
    const now = seconds(clock);
    const reason = await reasonAgainst(transaction, user, consumer, code, requested);
    // Nothing is stored beyond the limit, also no events.
    if (reason === 'limit') {
      log.info({ application: consumer.id }, 'an application asks a person too often to sign in');
      return nothingToDo();
    }
    const state = reason === undefined ? 'asked' : 'withheld';
    if (!(await decideRequest(tx, id, { userId, state, now }))) return nothingToDo();
    if (reason !== undefined) {
      audit('sign_in_request.withheld', about, { consumer_id: consumer.id, reason }, 'failure');
      return;
    }
    await records.revise(transaction, id, (before) => ({ ...before, accountId: userId }));
    await tell(transaction, user, consumer.name, Math.max(Number(payload.exp) - now, 1));
    audit('sign_in_request.received', about, { consumer_id: consumer.id });
  }

  /** Nothing is stored for nobody. Whoever asks about somebody learns neither that nor when. */
  return async function receive(requestId: string, hint: Hint): Promise<void> {
    const [found, user] = [await records.findValidByHash(requestId), await personOf(hint)];
    if (found && user) await unlessNothing(change(serviceActor, (transaction) => decide(transaction, user.id, found, hint.code)));
  };
}
