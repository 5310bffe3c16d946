// The JSON of exchanges.
import { type Schema, type Static, t } from '../../platform/http/index.ts';
import { described, flag, pageQuery, time } from '../resource/index.ts';
import type { ExchangeDetails } from './exchange.ts';
import type { PartyDetails } from './exchanges.ts';
import { isFinished, NEXT_STEPS, nextStepOf } from './states.ts';
import { ExchangeSummary } from './summary.ts';

export const StepSchema = t.object(
  { at: t.string({ format: 'date-time' }), step: t.string() },
  { detail: t.string(), error: t.string() },
);

export const ExchangeSchema = t.object(
  {
    id: t.string({ examples: ['ex_01KA2Z9Q1V8YB3T5M7N9P1R3S5'] }),
    protocol: t.oneOf('oid4vci', 'oid4vp'),
    state: t.string(),
    finished: t.boolean(),
    steps: t.array(StepSchema),
    summary: ExchangeSummary,
    createdAt: t.string({ format: 'date-time' }),
    updatedAt: t.string({ format: 'date-time' }),
    expiresAt: t.string({ format: 'date-time' }),
  },
  {
    peer: t.string(),
    party: t.string({ description: 'The host of the issuer, or the one that the answer to a verifier goes to.' }),
    outcome: t.string(),
    next: {
      ...t.oneOf(...NEXT_STEPS),
      description: 'What to do next: preview and accept an offer, authorize at the issuer, wait, continue, or answer a verifier.',
    } as Schema<(typeof NEXT_STEPS)[number]>,
    retryAt: t.string({ format: 'date-time' }),
    damaged: t.boolean({ description: 'The steps, or the summary, can no longer be read.' }),
  },
);
export const ExchangeList = t.array(ExchangeSchema);

export const ExchangeQuery = t.object(
  {},
  {
    ...pageQuery,
    protocol: described(t.oneOf('oid4vci', 'oid4vp'), 'Only issuances, or only presentations.'),
    state: t.string({ maxLength: 40, description: 'Only exchanges in this state.' }),
    party: t.string({ maxLength: 2000, description: 'Only exchanges with this party, as `party` of an exchange names it.' }),
    open: described(flag, 'true: only exchanges that are not finished; false: only finished ones.'),
  },
);

export const renderExchange = ({ row, steps, summary }: ExchangeDetails): Static<typeof ExchangeSchema> => ({
  id: row.id,
  protocol: row.protocol as 'oid4vci' | 'oid4vp',
  state: row.state,
  finished: isFinished(row.state),
  ...(nextStepOf(row.state) ? { next: nextStepOf(row.state) } : {}),
  ...(row.peer === null ? {} : { peer: row.peer }),
  ...((row.party ?? row.peer) === null ? {} : { party: row.party ?? row.peer! }),
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.poll_at === null ? {} : { retryAt: time(row.poll_at) }),
  steps: [...(steps ?? [])],
  summary: summary ?? {},
  createdAt: time(row.created_at),
  updatedAt: time(row.updated_at),
  expiresAt: time(row.expires_at),
  ...(steps && summary ? {} : { damaged: true }),
});

export const PartySchema = t.object(
  {
    party: t.string({ examples: ['shop.example.org'] }),
    received: t.integer({ description: 'Offers of it that were accepted.' }),
    shared: t.integer({ description: 'Requests of it that were answered.' }),
    open: t.integer({ description: 'Exchanges that are not finished.' }),
    lastAt: t.string({ format: 'date-time' }),
    newest: ExchangeSchema,
  },
  {},
);
export const PartyList = t.array(PartySchema);
export const PartyQuery = t.object({}, pageQuery);

export const renderParty = ({ party, received, shared, open, last_at, newest }: PartyDetails): Static<typeof PartySchema> => ({
  party,
  received,
  shared,
  open,
  lastAt: time(last_at),
  newest: renderExchange(newest),
});

t.name({ Party: PartySchema, PartyList });
t.name({ ExchangeStep: StepSchema, Exchange: ExchangeSchema, ExchangeList });
