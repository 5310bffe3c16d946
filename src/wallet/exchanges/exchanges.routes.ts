// /api/v1/wallet/exchanges: exchanges with issuers and verifiers, with their steps.

import type { Caller, WalletApp } from '../access/index.ts';
import type { ExchangeRow } from '../ground/database.ts';
import { EmptyBody, PAGED, pageAnswer, pageOf } from '../resource/index.ts';
import {
  ExchangeList,
  ExchangeQuery,
  ExchangeSchema,
  PartyList,
  PartyQuery,
  renderExchange,
  renderParty,
} from './exchanges.schema.ts';
import type { Exchanges } from './exchanges.ts';

const tag = 'Exchanges';
const EXCHANGES = '/api/v1/wallet/exchanges';

interface ExchangeRouteDeps {
  readonly exchanges: Exchanges;
  /** Ends it, and deletes keys that were generated for it. */
  readonly cancelExchange: (caller: Caller, row: ExchangeRow) => Promise<ExchangeRow>;
}

export function mountExchanges(app: WalletApp, { exchanges, cancelExchange }: ExchangeRouteDeps): void {
  const target = ({ caller, params }: { caller: Caller; params: { id: string } }) => exchanges.target(caller, params.id);

  app.get(
    EXCHANGES,
    {
      id: 'listExchanges',
      summary: 'List exchanges, newest first',
      tag,
      rule: 'signed_in',
      query: ExchangeQuery,
      documentation: PAGED,
      reply: { 200: ExchangeList },
    },
    async (call) => {
      const { protocol, state, open, party, ...rest } = call.query;
      const page = pageOf(rest);
      return pageAnswer(
        call,
        await exchanges.list(call.caller, { protocol, state, party, isOpen: open === 'true' }, page),
        page,
        renderExchange,
      );
    },
  );

  app.get(
    '/api/v1/wallet/parties',
    {
      id: 'listParties',
      summary: 'List with whom there were exchanges, the newest first',
      description: 'Issuers and verifiers by their host, while their exchanges are kept.',
      tag,
      rule: 'signed_in',
      query: PartyQuery,
      documentation: PAGED,
      reply: { 200: PartyList },
    },
    async (call) => {
      const page = pageOf(call.query);
      return pageAnswer(call, await exchanges.parties(call.caller, page), page, renderParty);
    },
  );

  app.get(
    `${EXCHANGES}/:id`,
    {
      id: 'getExchange',
      summary: 'Show an exchange with its steps',
      tag,
      rule: 'owner',
      target,
      reply: { 200: ExchangeSchema },
    },
    (call) => renderExchange(exchanges.detailsOf(call.target)),
  );

  app.post(
    `${EXCHANGES}/:id/cancel`,
    {
      id: 'cancelExchange',
      summary: 'Cancel an exchange',
      description: 'Without telling the issuer or verifier.',
      tag,
      rule: 'owner',
      target,
      body: EmptyBody,
      reply: { 200: ExchangeSchema },
    },
    async (call) => renderExchange(exchanges.detailsOf(await cancelExchange(call.caller, call.target))),
  );
}
