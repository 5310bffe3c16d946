// POST /api/v1/wallet/oid4vp

import type { Throttle } from '../../platform/limits/index.ts';
import type { WalletApp } from '../access/index.ts';
import { IDEMPOTENT, type Idempotency } from '../resource/index.ts';
import type { Presentations } from './presentation.rules.ts';
import { PresentationReply, PresentationRequest } from './presentation.schema.ts';

interface PresentationRouteDeps {
  /** Loaded on first use. */
  readonly presentations: () => Promise<Presentations>;
  /** Limits exchanges by owner, because each one calls other services. */
  readonly exchangeThrottle: Throttle;
  readonly idempotency: Idempotency;
}

export function mountPresentations(
  app: WalletApp,
  { presentations, exchangeThrottle, idempotency }: PresentationRouteDeps,
): void {
  app.post(
    '/api/v1/wallet/oid4vp',
    {
      id: 'presentCredentials',
      summary: 'Show credentials to a verifier',
      description:
        'With `preview`, nothing is sent: the answer shows who asks, for what, and which credentials fit. Then `submit` with the `consent` from the preview, or `reject`.',
      tag: 'Presentation',
      rule: 'signed_in',
      body: PresentationRequest,
      documentation: IDEMPOTENT,
      reply: { 200: PresentationReply },
    },
    async ({ caller, body, headers }) => {
      exchangeThrottle.take(caller.owner);
      return (await presentations()).process(caller, body, idempotency.of(caller, 'oid4vp', headers, body));
    },
  );
}
