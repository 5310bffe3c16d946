// What a code or a token depends on: its grant, and its session. As far as both are usual; the library knows the rest.
import { type RecordPayload, type Records, tagOfRecord, tagOfSession } from '../records/index.ts';

/** The part of a grant that the answer depends on. */
interface GrantedScopes {
  readonly openid?: { readonly scope?: string };
  readonly rejected?: object;
}

/** The scopes of the token that its grant still has, in the order of the grant. None if something unusual is there. */
export function grantedScopes(token: RecordPayload, grant: RecordPayload): readonly string[] {
  const { openid, rejected = {} } = grant as GrantedScopes;
  const asked = String(token.scope ?? '').split(' ');
  const isOfToken = grant.clientId === token.clientId && grant.accountId === token.accountId;
  if (!isOfToken || Object.keys(rejected).length > 0 || !asked.includes('openid')) return [];
  return (openid?.scope ?? '').split(' ').filter((scope) => asked.includes(scope));
}

/** Until when the session of a token lasts, and what ends it. Undefined if it is over: the token is, too. */
export async function sessionOf(
  records: Records,
  { expiresWithSession, sessionUid, accountId, clientId = '', grantId }: RecordPayload,
): Promise<{ readonly until: number; readonly tags: readonly string[] } | undefined> {
  if (expiresWithSession !== true) return { until: Number.POSITIVE_INFINITY, tags: [] };
  const uid = String(sessionUid);
  const session = await records.findByUid(uid);
  if (!session) return undefined;
  const authorizations = (session.authorizations ?? {}) as Readonly<Record<string, { readonly grantId?: string }>>;
  if (session.accountId !== accountId || authorizations[clientId]?.grantId !== grantId) return undefined;
  return {
    until: session.exp ?? Number.POSITIVE_INFINITY,
    tags: [tagOfSession(uid), tagOfRecord('Session', String(session.jti))],
  };
}
