// The JSON of exchanges.
import { type Schema, type Static, t } from '../../platform/http/index.ts';
import { described, flag, pageQuery, time } from '../resource/index.ts';
import type { ExchangeDetails } from './exchange.ts';
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
  ...(row.outcome === null ? {} : { outcome: row.outcome }),
  ...(row.poll_at === null ? {} : { retryAt: time(row.poll_at) }),
  steps: [...(steps ?? [])],
  summary: summary ?? {},
  createdAt: time(row.created_at),
  updatedAt: time(row.updated_at),
  expiresAt: time(row.expires_at),
  ...(steps && summary ? {} : { damaged: true }),
});

t.name({ ExchangeStep: StepSchema, Exchange: ExchangeSchema, ExchangeList });
