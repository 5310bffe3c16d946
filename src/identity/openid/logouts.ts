// Applications hear that a session of theirs ended here (OpenID Connect Back-Channel Logout 1.0), whatever ended it: a changed
// password, a closed or deleted account, a person who ends their other sessions. The library tells them of its own logout page only.
import type { Provider } from 'oidc-provider';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/index.ts';
import { parsed } from '../attributes.ts';
import type { Change } from '../audit/index.ts';
import { findConsumer, openidFieldsOf } from '../consumers/index.ts';
import type { Database } from '../database.ts';
import { createOutbox, LOGOUT } from '../notifications/index.ts';
import type { Ended, Payload } from './records.ts';

const SENT_AT_ONCE = 5;

/** What the library has and its types do not say. */
interface TellableClient {
  readonly backchannelLogoutUri?: string;
  backchannelLogout(sub: string, sid: string | undefined): Promise<void>;
}

interface Notice {
  readonly client_id: string;
  readonly sub: string;
  readonly sid?: string;
}

/** Adds the sessions that applications know, by application: where a record names none, the application alone. */
function noteSessions(found: Map<string, Set<string>>, ended: readonly Payload[]): void {
  const note = (clientId: unknown, sid: unknown): void => {
    if (typeof clientId !== 'string') return;
    const sids = found.get(clientId) ?? new Set();
    if (typeof sid === 'string') sids.add(sid);
    found.set(clientId, sids);
  };
  for (const { clientId, sid, authorizations } of ended) {
    note(clientId, sid);
    for (const [id, known] of Object.entries((authorizations ?? {}) as Record<string, { sid?: unknown }>)) note(id, known?.sid);
  }
}

export function createLogouts(deps: { db: Database; clock: Clock; log: Log; provider(): Promise<Provider> }) {
  const outbox = createOutbox({
    ...deps,
    kind: 'logout',
    sentAtOnce: SENT_AT_ONCE,
    refused: 'an application was not told of a logout',
    async send({ body }) {
      const { client_id: clientId, sub, sid } = JSON.parse(body) as Notice;
      const client = (await (await deps.provider()).Client.find(clientId)) as TellableClient | undefined;
      // An application that is gone, or does not want to hear of it any more, has heard.
      if (client?.backchannelLogoutUri) await client.backchannelLogout(sub, sid);
      return undefined;
    },
  });

  const add = (inside: Change, notice: Notice): Promise<void> => outbox.add(inside, LOGOUT, () => notice);

  return {
    ...outbox,

    /** Within the change that ends this of a user. */
    async note(inside: Change, userId: string, { clientIds, sessions, given }: Ended): Promise<void> {
      const known = new Map(clientIds.map((id) => [id, new Set<string>()]));
      noteSessions(known, sessions);
      const bySession: string[] = [];
      for (const clientId of known.keys()) {
        const consumer = await findConsumer(inside.tx, clientId);
        const fields = consumer ? openidFieldsOf(parsed(consumer.extra)) : {};
        if (fields.backchannel_logout_uri === undefined) continue;
        if (fields.backchannel_logout_session_required === true) bySession.push(clientId);
        else await add(inside, { client_id: clientId, sub: userId });
      }
      if (bySession.length > 0) noteSessions(known, await given(bySession));
      for (const clientId of bySession)
        for (const sid of known.get(clientId)!) await add(inside, { client_id: clientId, sub: userId, sid });
    },

    /** One that the library tried to send, and that did not arrive. */
    again: (inside: Change, clientId: string, sub: string, sid: string | undefined): Promise<void> =>
      add(inside, { client_id: clientId, sub, ...(sid === undefined ? {} : { sid }) }),
  };
}

export type Logouts = ReturnType<typeof createLogouts>;
