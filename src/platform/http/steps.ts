// The steps of every request, with or without the framework: authenticate the caller, validate the input, find the target, check the
// access rule, call the handler.
import { withDeadline } from '../deadline.ts';
import type { Fault } from '../faults/index.ts';
import { andThen, type MaybePromise } from '../maybe-promise.ts';
import { Answer, type Query, type Route } from './app.ts';
import type { IncomingCall, OutgoingAnswer } from './exchange.ts';
import { checkUrl } from './json.ts';
import { serialize, validate, validateBody, violation } from './validate.ts';

export interface RequestAccess<Caller> {
  /**
   * Identifies the caller, by the request and the `access` of the route. Throws a Fault if that fails.
   * Synchronous if possible, because it runs for every request.
   */
  authenticate(
    call: Pick<IncomingCall, 'headers' | 'requestId' | 'method' | 'path'>,
    access: string | undefined,
  ): MaybePromise<Caller>;
  /**
   * Throws a Fault unless the rule allows the request. `facts` describes the target; undefined if the route has none. `get` throws if it is
   * missing: for rules whose refusal may tell that.
   */
  authorize(rule: string, caller: Caller, facts: unknown, get?: () => unknown): void;
}

export function createSteps<Caller>(
  access: RequestAccess<Caller>,
  { checkReplies = false }: { readonly checkReplies?: boolean },
) {
  function identify({ spec }: Route<Caller>, call: IncomingCall): MaybePromise<void> {
    if (spec.rule === 'anyone') return;
    return andThen(access.authenticate(call, spec.access), (caller) => {
      call.caller = caller;
    });
  }

  /** Throws, or returns a refusal for those whom the access rule allows the request. */
  function read({ spec }: Route<Caller>, call: IncomingCall): Fault | undefined {
    if (spec.query) call.query = validate(spec.query, call.query) as Query;
    call.body = spec.body ? (call.body ?? {}) : undefined;
    return spec.body && validateBody(spec.body, call.body);
  }

  /** Checks permission before existence: a caller without permission must not learn whether the thing exists. */
  function authorize({ spec: { rule }, target }: Route<Caller>, call: IncomingCall): MaybePromise<void> {
    const decide = (facts: unknown, get?: () => unknown): void => {
      if (rule !== 'anyone') access.authorize(rule, call.caller as Caller, facts, get);
    };
    if (!target) return decide(undefined);
    return andThen(target(call as never), (found) => {
      decide(found.facts, found.get);
      call.target = found.get();
    });
  }

  function outgoingOf(route: Route<Caller>, result: unknown): OutgoingAnswer {
    const answer = result instanceof Answer ? result : new Answer({ body: result });
    const status = answer.status ?? successOf(route);
    if (answer.chunks) return { status, headers: answer.headers, text: undefined, chunks: answer.chunks };
    if (checkReplies) checkReply(route, status, answer);
    return { status, headers: answer.headers, text: answer.text ?? textOf(route, status, answer), bytes: answer.bytes };
  }

  /** Returns the answer or throws. Whatever it waits for, it has one deadline. */
  return (route: Route<Caller>, call: IncomingCall): MaybePromise<OutgoingAnswer> =>
    withDeadline(() => {
      checkUrl(call.url);
      return andThen(identify(route, call), () => {
        const refusal = read(route, call);
        return andThen(authorize(route, call), () => {
          if (refusal) throw refusal;
          return andThen(route.handler(call as never), (result: unknown) => outgoingOf(route, result));
        });
      });
    });
}

const successes = new WeakMap<object, number>();

/** The default status of a route. */
function successOf({ spec: { reply } }: Pick<Route<unknown>, 'spec'>): number {
  let status = successes.get(reply);
  if (status === undefined) {
    status = Number(Object.keys(reply)[0]);
    successes.set(reply, status);
  }
  return status;
}

function textOf({ spec }: Pick<Route<unknown>, 'spec'>, status: number, { body }: Answer): string | undefined {
  const schema = spec.reply[status];
  return schema ? serialize(schema, body) : undefined;
}

function checkReply(route: Pick<Route<unknown>, 'method' | 'path' | 'spec'>, status: number, answer: Answer): void {
  const schema = route.spec.reply[status];
  const where = `${route.method} ${route.path} ${status}`;
  if (schema === undefined) throw new Error(`${where}: status not declared`);
  // Schemas describe JSON.
  const type = answer.headers['Content-Type'];
  if (typeof type === 'string' && !/\bjson\b/.test(type) && route.spec.documentation?.otherTypes?.includes(type.split(';')[0]!))
    return;
  const body = answer.text === undefined ? answer.body : JSON.parse(answer.text);
  const broken = schema ? violation(schema, JSON.parse(JSON.stringify(body ?? null))) : undefined;
  if (broken) throw new Error(`${where}: answer breaks its schema: ${broken}`);
}
