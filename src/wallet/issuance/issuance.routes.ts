// POST /api/v1/wallet/oid4vci, and the callback for browsers.

import { Fault } from '../../platform/faults/index.ts';
import { Answer, type Query } from '../../platform/http/index.ts';
import type { Throttle } from '../../platform/limits/index.ts';
import type { WalletApp } from '../access/index.ts';
import { IDEMPOTENT, type Idempotency } from '../resource/index.ts';
import type { Issuance } from './issuance.rules.ts';
import { Deferred, IssuanceRequest, IssuedCredentials, NextStep } from './issuance.schema.ts';

const tag = 'Issuance';
const CALLBACK = {
  query: {
    state: 'The state of the authorization request.',
    code: 'The authorization code.',
    iss: 'The issuer of the response (RFC 9207).',
    error: 'The OAuth error, if there is no code.',
  },
  required: ['state'],
  replyHeaders: { Location: 'The exchange; for browsers, its page.' },
} as const;
const PATH = '/api/v1/wallet/oid4vci';

interface IssuanceRouteDeps {
  /** Loaded on first use. */
  readonly issuance: () => Promise<Issuance>;
  /** Limits exchanges by owner, because each one calls other services. */
  readonly exchangeThrottle: Throttle;
  readonly idempotency: Idempotency;
}

export function mountIssuance(app: WalletApp, { issuance, exchangeThrottle, idempotency }: IssuanceRouteDeps): void {
  app.post(
    PATH,
    {
      id: 'receiveCredentials',
      summary: 'Receive credentials',
      description:
        'Start with an offer (`uri` or `offer`), or continue an exchange (`exchangeId`). With `preview`, nothing is received yet: the answer shows what is offered. `status` in the answer says what to do next: `authorization_required` names the address to open in the browser, `deferred` asks to come back later.',
      tag,
      rule: 'signed_in',
      body: IssuanceRequest,
      documentation: { ...IDEMPOTENT, replyHeaders: { 'Retry-After': 'With 202: seconds to wait before the next request.' } },
      reply: { 201: IssuedCredentials, 200: NextStep, 202: Deferred },
    },
    async ({ caller, body, headers }) => {
      exchangeThrottle.take(caller.owner);
      const answer = await (await issuance()).process(caller, body, idempotency.of(caller, 'oid4vci', headers, body));
      if (answer.status === 'issued') return new Answer({ status: 201, body: answer });
      if (answer.status === 'deferred')
        return new Answer({ status: 202, headers: { 'Retry-After': String(answer.retryAfter) }, body: answer });
      return new Answer({ status: 200, body: answer });
    },
  );

  app.get(
    `${PATH}/callback`,
    {
      id: 'finishAuthorization',
      summary: 'Finish an authorization: the issuer redirects the browser here',
      tag,
      rule: 'signed_in',
      documentation: CALLBACK,
      reply: { 303: null },
    },
    async ({ caller, query, headers }) => {
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query as Query))
        for (const one of [value ?? []].flat()) parameters.append(name, one as string);
      const isBrowser = (headers.accept ?? '').includes('text/html');
      const to = (id: string): Answer =>
        new Answer({ status: 303, headers: { Location: isBrowser ? `/history/${id}` : `/api/v1/wallet/exchanges/${id}` } });
      try {
        return to(await (await issuance()).finish(caller, parameters));
      } catch (error) {
        // A person reads the reason on the page of the exchange.
        const id = error instanceof Fault ? error.detail?.exchangeId : undefined;
        if (isBrowser && typeof id === 'string') return to(id);
        throw error;
      }
    },
  );
}
