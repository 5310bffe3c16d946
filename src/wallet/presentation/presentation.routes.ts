// POST /api/v1/wallet/oid4vp

import type { WalletApp } from '../access/index.ts';
import type { Deps } from '../deps.ts';
import { ONCE } from '../resource/index.ts';
import { PresentationReply, PresentationRequest } from './presentation.schema.ts';

export function mountPresentations(
  app: WalletApp,
  { protocols, exchangeThrottle, idempotency }: Pick<Deps, 'protocols' | 'exchangeThrottle' | 'idempotency'>,
): void {
  app.post(
    '/api/v1/wallet/oid4vp',
    {
      summary: 'Answer a verifier: preview, submit or reject',
      tag: 'Presentation',
      body: PresentationRequest,
      described: ONCE,
      reply: { 200: PresentationReply },
    },
    async ({ caller, body, headers }) => {
      exchangeThrottle.take(caller.owner);
      const { presentations } = await protocols();
      return presentations.process(caller, body, idempotency.of(caller, 'oid4vp', headers, body));
    },
  );
}
