// Requests of applications that a person signs in somewhere else (CIBA Core 1.0): received, shown, answered, and asked about.
import { seconds } from '../../../platform/clock.ts';
import { Throttle } from '../../../platform/limits/index.ts';
import { hashOf } from '../../ground/resource/index.ts';
import { type AnswerDeps, createAnswers } from './answer.ts';
import { SIGN_IN_REQUEST_MODEL } from './asked.ts';
import { type ChoiceDeps, createChoices } from './choices.ts';
import { COUNTED_SECONDS, createReceive, type ReceiveDeps } from './receive.ts';
import { deleteEnded, insertRequest, notePoll, slowDown, taskState } from './sign-in-requests.store.ts';
import { createTasks, type Hint, type TaskDeps } from './tasks.ts';

/** How long an application waits between its questions. */
export const POLL_SECONDS = 5;
const MOST_POLL_SECONDS = 60;
const SWEPT_AT_ONCE = 1000;
/** Requests of one application, whomever they are about. */
export const SIGN_IN_REQUEST_LIMIT = { attempts: 300, perSeconds: 60 };

interface NewRequest {
  /** The library's id, which the application gets. */
  readonly jti: string;
  readonly clientId: string;
  readonly lifetime: number;
  readonly hint: Hint;
}

type SignInRequestDeps = TaskDeps &
  ChoiceDeps &
  Omit<ReceiveDeps, 'choices'> &
  Omit<AnswerDeps, 'tasks'> & { readonly rateLimits: boolean };

export function createSignInRequests(deps: SignInRequestDeps) {
  const { db, clock } = deps;
  const choices = createChoices(deps);
  const receive = createReceive({ ...deps, choices });
  const tasks = createTasks(deps, ({ requestId, hint }) => receive(requestId, hint));
  const answers = createAnswers({ ...deps, tasks });
  const byApplication = new Throttle(deps.rateLimits ? SIGN_IN_REQUEST_LIMIT : undefined, clock);

  return {
    ...answers,
    choices,

    /** False if the application has made too many. */
    mayAsk(clientId: string): boolean {
      if (!byApplication.has(clientId)) return false;
      byApplication.take(clientId);
      return true;
    },

    /** Who is meant is found out later. */
    async begin({ jti, clientId, lifetime, hint }: NewRequest): Promise<void> {
      const [id, now] = [hashOf(SIGN_IN_REQUEST_MODEL, jti), seconds(clock)];
      const times = { created_at: now, expires_at: now + lifetime, poll_at: now, poll_seconds: POLL_SECONDS };
      await db.write(async (tx) => {
        await insertRequest(tx, { id, consumer_id: clientId, user_id: null, state: null, ...times });
        await tasks.add(tx, clientId, 'find', { requestId: id, hint });
      });
    },

    /** An application asks for the answer. False if it does so too early. */
    async poll(jti: string): Promise<boolean> {
      const [id, now] = [hashOf(SIGN_IN_REQUEST_MODEL, jti), seconds(clock)];
      if (await notePoll(db, id, now)) return true;
      await slowDown(db, id, now, POLL_SECONDS, MOST_POLL_SECONDS);
      return false;
    },

    /** What is still to be done of them. */
    taskState: () => taskState(db.read),
    start: tasks.start,
    stop: tasks.stop,
    sendDue: tasks.sendDue,
    sweep: async (): Promise<number> =>
      (await tasks.sweep()) + (await deleteEnded(db, seconds(clock) - COUNTED_SECONDS, SWEPT_AT_ONCE)),
  };
}

export type SignInRequests = ReturnType<typeof createSignInRequests>;
