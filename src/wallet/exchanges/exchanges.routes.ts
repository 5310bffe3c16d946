// /api/v1/wallet/exchanges: exchanges with issuers and verifiers, with their steps.

import type { WalletApp } from '../access/index.ts';
import { PAGED, pageAnswer, pageOf } from '../resource/index.ts';
import { ExchangeList, ExchangeQuery, ExchangeSchema, renderExchange } from './exchanges.schema.ts';
import type { Exchanges } from './exchanges.ts';

const tag = 'Exchanges';
const EXCHANGES = '/api/v1/wallet/exchanges';

export function mountExchanges(app: WalletApp, { exchanges }: { exchanges: Exchanges }): void {
  app.get(
    EXCHANGES,
    {
      summary: 'List exchanges, newest first',
      tag,
      rule: 'signed_in',
      query: ExchangeQuery,
      documentation: PAGED,
      reply: { 200: ExchangeList },
    },
    async (call) => {
      const { protocol, state, ...rest } = call.query;
      const page = pageOf(rest);
      return pageAnswer(call, await exchanges.list(call.caller, { protocol, state }, page), page, renderExchange);
    },
  );

  app.get(
    `${EXCHANGES}/:id`,
    {
      summary: 'Show an exchange with its steps',
      tag,
      rule: 'owner',
      target: ({ caller, params }) => exchanges.target(caller, params.id),
      reply: { 200: ExchangeSchema },
    },
    ({ target }) => renderExchange(exchanges.detailsOf(target)),
  );
}
