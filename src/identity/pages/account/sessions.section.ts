// The sessions of a person: where they are signed in.
import { tagOf } from '../../access/context/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { Records } from '../../openid/records/index.ts';
import { liveSessionsOf } from '../../openid/sessions/index.ts';
import type { AccountSection, AccountStep } from './section.ts';
import { sessionsSection } from './sessions.page.ts';

export interface SessionsDeps extends Pick<Deps, 'change'> {
  readonly records: Records;
  readonly federation: Federation;
}

const endOthers =
  ({ change, records }: SessionsDeps): AccountStep['run'] =>
  async ({ person: { user, session, actor } }) => {
    await change(actor, async (transaction) => {
      await records.endSessions(transaction, user.id, session.jti);
      transaction.invalidate(tagOf.user(user.id));
      transaction.audit('session.others_ended', { kind: 'user', id: user.id });
    });
    return { done: 'otherSessionsEnded' };
  };

/** A session that has ended meanwhile counts as ended by this. */
const endOne =
  ({ change, records }: SessionsDeps): AccountStep['run'] =>
  async ({ person: { user, actor } }, form) => {
    await change(actor, async (transaction) => {
      const ended = await records.endSession(transaction, user.id, form.text('session'));
      transaction.invalidate(tagOf.user(user.id));
      transaction.audit('session.ended', { kind: 'user', id: user.id }, {}, ended ? 'success' : 'failure');
    });
    return { done: 'sessionIsEnded' };
  };

export const createSessionsSection = (deps: SessionsDeps): AccountSection => ({
  page: 'sessions',
  async show(visit) {
    const { user, session } = visit.person;
    const sessions = (await liveSessionsOf(deps, user.id)).map(({ uid, ...one }) => ({
      ...one,
      isCurrent: uid === session.uid,
    }));
    return sessionsSection(visit, sessions);
  },
  steps: { 'end-session': { run: endOne(deps) }, 'end-sessions': { run: endOthers(deps) } },
});
