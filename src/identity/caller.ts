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

/** Reads X-Auth-Token. No token and a bad one are the same to a stranger; the log knows which. */
export function createAuthenticate(tokens: Tokens) {
  return (headers: IncomingHttpHeaders, requestId: string): Soon<Caller> => {
    const text = headers['x-auth-token'];
    if (typeof text !== 'string' || text === '') throw fault('auth.required', undefined, { reason: 'no token' });
    return andThen(tokens.verify(text), (verified) => {
      if (!verified) throw fault('auth.required', undefined, { reason: 'token unknown, expired or revoked' });
      return { userId: verified.record.userId, requestId, token: verified.record, tokenText: text, view: verified.view };
    });
  };
}
