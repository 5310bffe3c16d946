// Who calls: the verified token of a request, as rules and policies see it.
import type { IncomingHttpHeaders } from 'node:http';
import { andThen, type Soon } from '../platform/soon.ts';
import type { View } from './access/index.ts';
import type { Actor } from './audit/index.ts';
import { fault } from './faults.ts';
import type { TokenRecord, Tokens } from './tokens/index.ts';

export interface Caller extends Actor {
  readonly userId: string;
  readonly requestId: string;
  readonly token: TokenRecord;
  readonly tokenText: string;
  readonly view: View;
}

/** Callers other than people and services with a token of their own. */
export interface OtherCallers {
  isToken(text: string): boolean;
  verify(text: string, requestId: string): Soon<Caller | undefined>;
}

/** `access` of routes that take bearer tokens too: those of provisioning connections, and ours. */
export const PROVISIONING = 'provisioning';

/** No token and a bad one are the same to a stranger; the log knows which. */
export function createAuthenticate(tokens: Tokens, connections: OtherCallers) {
  function byToken(text: string | string[] | undefined, requestId: string): Soon<Caller> {
    if (typeof text !== 'string' || text === '') throw fault('auth.required', undefined, { reason: 'no token' });
    return andThen(tokens.verify(text), (verified) => {
      if (!verified) throw fault('auth.required', undefined, { reason: 'token unknown, expired or revoked' });
      return { userId: verified.record.userId, requestId, token: verified.record, tokenText: text, view: verified.view };
    });
  }

  return (headers: IncomingHttpHeaders, requestId: string, access: string | undefined): Soon<Caller> => {
    const bearer = access === PROVISIONING ? /^Bearer +([\w.~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
    if (bearer === undefined) return byToken(headers['x-auth-token'], requestId);
    if (!connections.isToken(bearer)) return byToken(bearer, requestId);
    return andThen(connections.verify(bearer, requestId), (caller) => {
      if (!caller) throw fault('auth.required', undefined, { reason: 'connection unknown or revoked' });
      return caller;
    });
  };
}
