// Revocation events, as services asked Keystone for them to check tokens by themselves. They are read from the audit events.
import { isoTime, seconds } from '../../platform/clock.ts';
import { fail } from '../faults.ts';
import { type Deps, parseJson } from '../resource/index.ts';
import { type RevokingEvent, readRevokingEvents } from './revoke-events.store.ts';

/** What a token has in common with others that ended at the same time. */
const FIELD_OF: Readonly<Record<string, string>> = {
  'token.revoked': 'audit_id',
  'user.deleted': 'user_id',
  'user.updated': 'user_id',
  'user.password_changed': 'user_id',
  'user.password_reset': 'user_id',
  'user.password_expired': 'user_id',
  'project.deleted': 'project_id',
  'domain.deleted': 'domain_id',
  'trust.deleted': 'OS-TRUST:trust_id',
};
/** Changes of an account that end its tokens. */
const ENDING_FIELDS = ['enabled', 'password'];
/** In one answer. Services that ask often enough get all. */
const MOST = 10_000;

const endsTokens = ({ action, detail }: RevokingEvent): boolean =>
  action !== 'user.updated' ||
  (parseJson<{ fields?: string[] }>(detail).fields ?? []).some((name) => ENDING_FIELDS.includes(name));

function render({ at, action, target_id }: RevokingEvent) {
  const time = isoTime(at * 1000);
  return { [FIELD_OF[action]!]: target_id, issued_before: time, revoked_at: time };
}

export function createRevokeEvents({ db, clock, config }: Pick<Deps, 'db' | 'clock' | 'config'>) {
  return {
    /** Only those about tokens that have not expired. `since`: a time in ISO 8601. */
    async list(since: string | undefined) {
      const oldest = seconds(clock) - config.tokenSeconds - config.allowExpiredSeconds;
      const asked =
        since === undefined ? oldest : Math.floor(Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(since) ? since : `${since}Z`) / 1000);
      if (Number.isNaN(asked)) fail('request.bad_value', { field: 'since', why: 'it is not an ISO 8601 time' });
      const events = await readRevokingEvents(db.read, Object.keys(FIELD_OF), Math.max(asked, oldest), MOST);
      return events.filter(endsTokens).reverse().map(render);
    },
  };
}

export type RevokeEvents = ReturnType<typeof createRevokeEvents>;
