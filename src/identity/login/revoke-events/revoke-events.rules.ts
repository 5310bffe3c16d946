// Revocation events, as services asked Keystone for them to check tokens by themselves. They are read from the audit events.
import { isoTime, seconds } from '../../../platform/clock.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import { commonOf, ENDING_ACTIONS } from './ended.ts';
import { type RevokingEvent, readRevokingEvents } from './revoke-events.store.ts';

/** In one answer. Services that ask often enough get all. */
const MOST = 10_000;

function render(event: RevokingEvent) {
  const time = isoTime(event.at * 1000);
  // Events have whole seconds and tokens have parts of them: those that were issued earlier in the same second have ended, too.
  const issuedBefore = time.replace(/\.\d+Z$/, '.999999Z');
  const { action, target_id, detail } = event;
  return commonOf(action, target_id, parseJson(detail)).map((common) => ({
    ...common,
    issued_before: issuedBefore,
    revoked_at: time,
  }));
}

export function createRevokeEvents({ db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return {
    /** Only those about tokens that have not expired. `since`: a time in ISO 8601. */
    async list(since: string | undefined) {
      const oldest = seconds(clock) - config.tokenSeconds - config.allowExpiredSeconds;
      const asked =
        since === undefined ? oldest : Math.floor(Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(since) ? since : `${since}Z`) / 1000);
      if (Number.isNaN(asked)) fail('request.bad_value', { field: 'since', why: 'it is not an ISO 8601 time' });
      const events = await readRevokingEvents(db.read, ENDING_ACTIONS, Math.max(asked, oldest), MOST);
      return events.reverse().flatMap(render).slice(-MOST);
    },
  };
}

export type RevokeEvents = ReturnType<typeof createRevokeEvents>;
