// The caller of a request: its verified token, as rules and policies see it.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail, fault } from '../../ground/faults.ts';
import { type AuthContext, allowsRequest, type TokenRecord, type VerifiedToken } from '../context/index.ts';

export interface Caller extends Actor {
  readonly userId: string;
  readonly requestId: string;
  readonly token: TokenRecord;
  readonly tokenText: string;
  readonly authContext: AuthContext;
  /** A provisioning client of a domain: a connection, or an application that a domain manager (`userId`) authorized. */
  readonly provisions?: true;
}

/** False for an application that acts on behalf of a person (method `oauth2`). */
export const isInPerson = ({ token }: Caller): boolean => !token.methods.includes('oauth2');

/** For changes of the caller's own account: the change fails when the account changed since the token was verified. */
export const actorAsVerified = (caller: Caller, userId: string): Actor =>
  caller.userId === userId ? { userId, requestId: caller.requestId, epoch: caller.authContext.userEpoch } : caller;

/** Callers that authenticate by a bearer token instead of X-Auth-Token. */
export interface OtherCallers {
  isToken(text: string): boolean;
  verify(text: string, call: Pick<IncomingRequest, 'headers' | 'requestId'>): Promise<Caller | undefined>;
  byAccessToken(text: string, call: Pick<IncomingRequest, 'raw' | 'requestId'>): Promise<Caller | undefined>;
}

/** `access` of routes that also accept bearer tokens: of provisioning connections, our own tokens, and OAuth2 access tokens. */
export const PROVISIONING = 'provisioning';
/** `access` of routes through which an application may change something on behalf of a person. Elsewhere it may only read. */
export const DELEGATED = 'delegated';

interface IncomingRequest {
  /** With the certificate of its connection. */
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly method: string;
  /** Computed on access, so it is only read where it decides. */
  readonly path: string;
}

const READS = ['GET', 'HEAD'];

/** Whether the caller may send such a request at all: an application that acts for a person may only read, except where `DELEGATED`. */
export const maySend = (caller: Caller, method: string, access: string | undefined): boolean =>
  READS.includes(method) || access === DELEGATED || isInPerson(caller);

/** A missing token and a bad one get the same answer; only the log has the reason. */
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

  function byBearer(text: string, call: IncomingRequest): MaybePromise<Caller | undefined> {
    if (connections.isToken(text)) return connections.verify(text, call);
    return andThen(callerOf(text, call.requestId), (caller) => caller ?? connections.byAccessToken(text, call));
  }

  /** Checked here for every route, so that a new route is closed to applications unless it says otherwise. */
  function mayChange(caller: Caller, access: string | undefined, method: string): Caller {
    if (!maySend(caller, method, access))
      fail('auth.forbidden', { action: 'change' }, { reason: 'an application that acts for a person' });
    return caller;
  }

  function callerBy(call: IncomingRequest, access: string | undefined): MaybePromise<Caller> {
    const { headers, requestId } = call;
    const bearer = access === PROVISIONING ? /^Bearer +([\w.~+/-]+=*)$/i.exec(headers.authorization ?? '')?.[1] : undefined;
    if (bearer === undefined) return byToken(headers['x-auth-token'], requestId);
    return andThen(byBearer(bearer, call), (caller) => caller ?? refuse('bearer token unknown, expired or revoked'));
  }

  /** As Keystone: services ask for such a token about each request of a program, and do not pass it on. */
  function withoutEc2(caller: Caller): Caller {
    return caller.token.methods.includes('ec2credential') ? fail('auth.ec2_token') : caller;
  }

  /** Services that are shown such a token of Keystone look at the certificate. Here nobody did. */
  function withoutCertificate(caller: Caller): Caller {
    return caller.token.foreign?.thumbprint === undefined ? caller : refuse('a token of Keystone that is bound to a certificate');
  }

  /** As Keystone: the token counts as invalid for other requests. */
  function withinAccessRules(caller: Caller, call: IncomingRequest): Caller {
    const rules = caller.authContext.delegation?.accessRules;
    return rules && !allowsRequest(rules, call.method, call.path)
      ? refuse('a request that the access rules do not name')
      : caller;
  }

  return (call: IncomingRequest, access: string | undefined): MaybePromise<Caller> =>
    andThen(callerBy(call, access), (caller) =>
      withinAccessRules(mayChange(withoutEc2(withoutCertificate(caller)), access, call.method), call),
    );
}
