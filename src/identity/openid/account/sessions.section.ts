// The sessions of a person.
import { tagOf } from '../../access/index.ts';
import type { Deps } from '../../resource/index.ts';
import { sessionsSection } from '../pages/account-sessions.ts';
import type { Records } from '../provider/records/records.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface SessionsDeps extends Pick<Deps, 'change'> {
  readonly records: Records;
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

export const createSessionsSection = (deps: SessionsDeps): AccountSection => ({
  page: 'sessions',
  async show(visit) {
    const { user, session } = visit.person;
    const sessions = await deps.records.listOfUser(user.id, 'Session');
    return sessionsSection(
      visit,
      sessions.map(({ payload }) => ({ signedInAt: Number(payload.loginTs), isCurrent: payload.uid === session.uid })),
    );
  },
  steps: { 'end-sessions': { run: endOthers(deps) } },
});
