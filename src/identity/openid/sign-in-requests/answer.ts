// A person answers a request of an application, once.
import { randomBytes } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { lockRow } from '../../../platform/database/index.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { ApiScope, Apis } from '../../applications/apis/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import { findConsumer, mayAskPeople } from '../../applications/consumers/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { RecordPayload, Records } from '../records/index.ts';
import { type Asked, type AskedApi, askedIn } from './asked.ts';
import { nothingToDo, unlessNothing } from './nothing-to-do.ts';
import { answerRequest, waitingOf } from './sign-in-requests.store.ts';
import type { SignInTasks } from './tasks.ts';

export interface WaitingRequest extends Asked {
  readonly id: string;
  readonly application: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What the application may do at the APIs that it asks for, in words. */
  readonly at: readonly { readonly name: string; readonly address: string; readonly scopes: readonly string[] }[];
}

/** How the person is signed in who allows it. */
export interface Approval {
  readonly acr: string;
  readonly amr: readonly string[];
  /** In seconds. */
  readonly authTime: number;
  readonly sessionUid: string;
  /** For how long what is allowed lasts. */
  readonly lifetime: number;
}

export interface AnswerDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly records: Records;
  readonly apis: Pick<Apis, 'find' | 'scopesFor'>;
  readonly clientRegistration: Pick<ClientRegistration, 'refusal' | 'isLive'>;
  readonly tasks: Pick<SignInTasks, 'add'>;
}

interface Found {
  readonly payload: RecordPayload;
  readonly asked: Asked;
}

/** Whether the person signed in too long ago for what the application asks. Since its request is never too long ago: they are asked once. */
const needsSignIn =
  (clock: Clock) =>
  ({ maxAge, createdAt }: WaitingRequest, authTime: number): boolean =>
    // Not `authTime < …`: who has no time of a sign-in (NaN) has to sign in.
    maxAge !== undefined && !(authTime >= Math.min(createdAt, seconds(clock) - maxAge));

export function createAnswers({ db, clock, change, records, apis, clientRegistration, tasks }: AnswerDeps) {
  async function isAsBefore({ tx }: Change, { apis: asked, clientId }: Asked): Promise<boolean> {
    for (const { resource, version } of asked) {
      const api = await apis.find(resource, tx);
      // A token says of which version it is, so that what changes from here on has its effect there.
      if (api?.version !== version || !(api.applications?.includes(clientId) ?? true)) return false;
    }
    return true;
  }

  /** Whether the application may still have it, as it is registered now; it stays so until the transaction ends. */
  async function isStillAllowed(transaction: Change, userId: string, asked: Asked): Promise<boolean> {
    const { tx } = transaction;
    const consumer = await lockRow(db, tx, 'consumers', asked.clientId, 'share');
    if (!consumer || !mayAskPeople(consumer, asked.scope.split(' '))) return false;
    if (!(await clientRegistration.isLive(consumer))) return false;
    const request = { redirectUri: undefined, scopes: asked.requested };
    return (await clientRegistration.refusal(consumer, userId, request)) === undefined && isAsBefore(transaction, asked);
  }

  /** An API, with the scopes that this person can give there. */
  async function readApi(
    reader: Reader,
    userId: string,
    resource: string,
  ): Promise<{ name: string; scopes: readonly ApiScope[] } | undefined> {
    const api = await apis.find(resource, reader);
    return api && { name: api.name, scopes: await apis.scopesFor(api, userId) };
  }

  /** Of what was asked for at an API, what the person can give and is shown: they may get more roles later. */
  async function givenAt(
    { tx }: Change,
    userId: string,
    { resource, scope }: AskedApi,
  ): Promise<[resource: string, scope: string]> {
    const own = new Set((await readApi(tx, userId, resource))?.scopes.map(({ name }) => name));
    const [mark, ...scopes] = scope.split(' ');
    return [resource, [mark, ...scopes.filter((one) => own.has(one))].join(' ')];
  }

  /** What the library would store of a grant. What was checked in the transaction is what is read. */
  async function grantOf(
    transaction: Change,
    userId: string,
    { clientId, scope, apis: asked }: Asked,
    lifetime: number,
  ): Promise<RecordPayload & { jti: string }> {
    const now = seconds(clock);
    const given: (readonly [resource: string, scope: string])[] = [];
    // One after the other: they share a connection.
    for (const one of asked) given.push(await givenAt(transaction, userId, one));
    return {
      kind: 'Grant',
      jti: randomBytes(32).toString('base64url'),
      iat: now,
      exp: now + lifetime,
      accountId: userId,
      clientId,
      openid: { scope },
      ...(given.length === 0 ? {} : { resources: Object.fromEntries(given) }),
    };
  }

  /** The application asks for the answer, and is told that there is one if it wants to be. */
  async function store(transaction: Change, id: string, { payload, asked }: Found, answer: RecordPayload): Promise<void> {
    await records.revise(transaction, id, (before) => ({ ...before, ...answer }));
    if (asked.ping) await tasks.add(transaction.tx, asked.clientId, 'ping', { ...asked.ping, authReqId: String(payload.jti) });
  }

  /** Claims the request for this answer, unless there is nothing to answer any more. */
  async function take(transaction: Change, id: string, userId: string, state: 'allowed' | 'refused'): Promise<Found> {
    if (!(await answerRequest(transaction.tx, { id, userId, state, now: seconds(clock) }))) return nothingToDo();
    const found = await records.findByHashIn(transaction, id);
    return found?.payload.accountId === userId ? { payload: found.payload, asked: askedIn(found.payload) } : nothingToDo();
  }

  async function refuse(actor: Actor, userId: string, id: string): Promise<boolean> {
    const answered = change(actor, async (transaction) => {
      const found = await take(transaction, id, userId, 'refused');
      await store(transaction, id, found, { error: 'access_denied', errorDescription: 'the person refused' });
      transaction.audit('sign_in_request.refused', { kind: 'user', id: userId }, { consumer_id: found.asked.clientId });
      return true;
    });
    return (await unlessNothing(answered)) === true;
  }

  async function allow(actor: Actor, userId: string, id: string, approval: Approval): Promise<boolean> {
    const { lifetime, acr, amr, authTime, sessionUid } = approval;
    const answered = change(actor, async (transaction) => {
      const found = await take(transaction, id, userId, 'allowed');
      const about = { kind: 'user', id: userId };
      const consumer_id = found.asked.clientId;
      if (!(await isStillAllowed(transaction, userId, found.asked))) {
        await store(transaction, id, found, {
          error: 'access_denied',
          errorDescription: 'the application may not have it any more',
        });
        transaction.audit('sign_in_request.refused', about, { consumer_id, reason: 'the application has changed' }, 'failure');
        return false;
      }
      const grant = await grantOf(transaction, userId, found.asked, lifetime);
      const outlivesSignOut = found.asked.scope.split(' ').includes('offline_access');
      const sid = newSecret();
      const approved = { sessionUid, sid, amr, outlivesSignOut, grant, lifetime };
      // What ends the session ends what is allowed in it, so nothing is allowed in one that has ended meanwhile.
      if (!(await records.addApproved(transaction, userId, approved))) return nothingToDo();
      await store(transaction, id, found, { grantId: grant.jti, acr, amr: [...amr], authTime, sessionUid, sid });
      transaction.audit('sign_in_request.allowed', about, { consumer_id });
      return true;
    });
    return (await unlessNothing(answered)) === true;
  }

  async function inWords(userId: string, { apis: asked, requested }: Asked): Promise<WaitingRequest['at']> {
    const all = await Promise.all(
      asked.map(async ({ resource }) => {
        const api = await readApi(db.read, userId, resource);
        const named = (api?.scopes ?? []).filter(({ name, description }) => requested.includes(name) && description !== '');
        return api ? [{ name: api.name, address: resource, scopes: named.map(({ description }) => description) }] : [];
      }),
    );
    return all.flat();
  }

  /** Those that a person can answer, the newest first. */
  async function waiting(userId: string): Promise<WaitingRequest[]> {
    const shown: WaitingRequest[] = [];
    for (const row of await waitingOf(db.read, userId, seconds(clock))) {
      const found = await records.findValidByHash(row.id);
      const consumer = await findConsumer(db.read, row.consumer_id);
      if (!found || !consumer || found.payload.accountId !== userId) continue;
      const asked = askedIn(found.payload);
      const times = { createdAt: row.created_at, expiresAt: row.expires_at };
      shown.push({ ...asked, ...times, id: row.id, application: consumer.name, at: await inWords(userId, asked) });
    }
    return shown;
  }

  return { allow, refuse, waiting, needsSignIn: needsSignIn(clock) };
}
