// Who calls: the verified token of a request, as rules and policies see it.
import type { IncomingHttpHeaders } from 'node:http';
import { andThen, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { Actor } from '../audit/index.ts';
import { fail, fault } from '../faults.ts';
import type { AuthContext } from './auth-context.ts';
import { isInPerson } from './policy.ts';
import type { TokenRecord, VerifiedToken } from './token-record.ts';

export interface Caller extends Actor {
  readonly userId: string;
  readonly requestId: string;
  readonly token: TokenRecord;
  readonly tokenText: string;
  readonly authContext: AuthContext;
  /** A program that provisions a domain: a connection, or an application that one of its managers (`userId`) let in. */
  readonly provisions?: true;
}

/** In changes of the caller's own account: bound to the state in which the token was checked. */
export const asChecked = (caller: Caller, userId: string): Actor =>
  caller.userId === userId ? { userId, requestId: caller.requestId, epoch: caller.authContext.userEpoch } : caller;

/** Callers other than people and services with a token of their own. */
export interface OtherCallers {
  isToken(text: string): boolean;
  verify(text: string, requestId: string): Promise<Caller | undefined>;
  byAccessToken(text: string, requestId: string): Promise<Caller | undefined>;
}

/** `access` of routes that take bearer tokens too: of provisioning connections, ours, and OAuth2 access tokens. */
export const PROVISIONING = 'provisioning';
/** Of routes that change something and are also for applications that act for a person; all others only answer them. */
export const DELEGATED = 'delegated';

const READS = ['GET', 'HEAD'];

/** No token and a bad one are the same to a stranger; the log knows which. */
export function createAuthenticate(
  tokens: { verify(text: string): MaybePromise<VerifiedToken | undefined> },
  connections: OtherCallers,
) {
  const refuse = (reason: string): never => {
    throw fault('auth.required', undefined, { reason });
  };

  function callerOf(text: string, requestId: string): MaybePromise<Caller | undefined> {
    return andThen(
      tokens.verify(text),
      (verified) =>
        verified && {
          userId: verified.record.userId,
          requestId,
          token: verified.record,
          tokenText: text,
          authContext: verified.authContext,
        },
    );
  }

  function byToken(text: string | string[] | undefined, requestId: string): MaybePromise<Caller> {
    if (typeof text !== 'string' || text === '') return refuse('no token');
    return andThen(callerOf(text, requestId), (caller) => caller ?? refuse('token unknown, expired or revoked'));
  }

  function byBearer(text: string, requestId: string): MaybePromise<Caller | undefined> {
    if (connections.isToken(text)) return connections.verify(text, requestId);
    return andThen(callerOf(text, requestId), (caller) => caller ?? connections.byAccessToken(text, requestId));
  }

  /** Here, for every route: what an application may change in a person's name is what is listed, and not what nobody thought of. */
  function mayChange(caller: Caller, access: string | undefined, method: string): Caller {
    if (!READS.includes(method) && access !== DELEGATED && !isInPerson(caller))
      fail('auth.forbidden', { action: 'change' }, { reason: 'an application that acts for a person' });
    return caller;
  }

  function callerBy(headers: IncomingHttpHeaders, requestId: string, access: string | undefined): MaybePromise<Caller> {
    const bearer = access === PROVISIONING ? /^Bearer +([\w.~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
    if (bearer === undefined) return byToken(headers['x-auth-token'], requestId);
    return andThen(byBearer(bearer, requestId), (caller) => caller ?? refuse('bearer token unknown, expired or revoked'));
  }

  return (headers: IncomingHttpHeaders, requestId: string, access: string | undefined, method: string): MaybePromise<Caller> =>
    andThen(callerBy(headers, requestId, access), (caller) => mayChange(caller, access, method));
}
