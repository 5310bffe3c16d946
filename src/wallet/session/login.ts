// A login: started here, done at the provider, finished when the browser returns with a code.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { serviceActor } from '../../platform/audit/index.ts';
import type { AuthorizationFlow, ProviderGrant } from '../../platform/openid-client/index.ts';
import { providerErrorOf } from '../../platform/openid-client/index.ts';
import { fail, fault } from '../ground/faults.ts';
import type { Cookies } from './cookies.ts';
import type { LoginDeps } from './login-deps.ts';
import { ownPath } from './own-path.ts';
import { spendOnce } from './sessions.store.ts';

const FLOW_SECONDS = 600;
/** The characters of an OAuth error (RFC 6749, 4.1.2.1). Anything else is not repeated. */
const OAUTH_ERROR = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

interface LoginFlow extends AuthorizationFlow {
  readonly returnTo: string;
  readonly begunAt: number;
}

export interface LoginOptions {
  readonly returnTo?: string | undefined;
  readonly prompt?: string | undefined;
  readonly loginHint?: string | undefined;
}

export async function beginLogin(
  { clock, cookies, provider, origin, beganAt }: LoginDeps,
  options: LoginOptions,
  headers: IncomingHttpHeaders,
): Promise<{ authorizationUrl: string; cookie: string }> {
  const at = beganAt(headers);
  const returnTo = ownPath(options.returnTo, at ?? origin());
  const flow: LoginFlow = { ...provider.newFlow(), at, returnTo, begunAt: clock.now() };
  const authorizationUrl = await provider.authorizationUrl(flow, options);
  return { authorizationUrl, cookie: cookies.set('flow', JSON.stringify(flow), FLOW_SECONDS) };
}

/** The login is finished, whatever the result. */
const clearFlowCookie = (cookies: Cookies) => ({ headers: { 'Set-Cookie': cookies.clear('flow') } });

function loginRefused(cookies: Cookies, error: string) {
  const word = OAUTH_ERROR.test(error) ? error : 'invalid_response';
  return fault('login-refused', undefined, { ...clearFlowCookie(cookies), detail: { protocol: { error: word } } });
}

/** The login this browser started, if the provider's response belongs to it. */
function flowOf({ clock, cookies }: LoginDeps, text: string | undefined, state: string | null): LoginFlow {
  const plain = text === undefined ? undefined : cookies.open(text, 'flow');
  const flow = plain === undefined ? undefined : (JSON.parse(plain) as LoginFlow);
  if (!flow || state === null || flow.state !== state || clock.now() - flow.begunAt > FLOW_SECONDS * 1000)
    fail('login-state-mismatch', undefined, clearFlowCookie(cookies));
  return flow;
}

/** A login can be finished only once. */
async function spendFlow({ change, cookies }: LoginDeps, { state, begunAt }: LoginFlow): Promise<void> {
  await change(serviceActor, async ({ tx, audit }) => {
    const stateHash = createHash('sha256').update(state).digest('base64url');
    if (!(await spendOnce(tx, stateHash, begunAt + FLOW_SECONDS * 1000)))
      fail('login-state-mismatch', undefined, clearFlowCookie(cookies));
    audit('login.returned', { kind: 'login', id: stateHash });
  });
}

async function redeem({ cookies, provider }: LoginDeps, returned: URLSearchParams, flow: LoginFlow): Promise<ProviderGrant> {
  const error = returned.get('error');
  if (error !== null) throw loginRefused(cookies, error);
  return provider.redeem(returned, flow).catch((problem: unknown) => {
    const refusal = providerErrorOf(problem);
    if (refusal !== undefined) throw loginRefused(cookies, refusal);
    return fail('identity-provider-unavailable', undefined, { ...clearFlowCookie(cookies), reason: String(problem) });
  });
}

export async function finishLogin(
  deps: LoginDeps,
  returned: URLSearchParams,
  sent: { flow: string | undefined; session: string | undefined },
): Promise<{ returnTo: string; cookies: string[] }> {
  const { change, cookies, sessions } = deps;
  const flow = flowOf(deps, sent.flow, returned.get('state'));
  await spendFlow(deps, flow);
  const grant = await redeem(deps, returned, flow);
  const { id, session } = await sessions.begin(grant, sent.session);
  await change({ userId: session.owner, requestId: null }, async ({ audit }) =>
    audit('session.begun', { kind: 'session', id: session.idHash }),
  );
  return {
    returnTo: flow.returnTo,
    cookies: [cookies.set('session', id, deps.sessionSeconds), cookies.clear('flow')],
  };
}
