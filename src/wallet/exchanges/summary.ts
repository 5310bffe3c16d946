// What an exchange is about, for its history. No decision depends on it. It has no values of claims.
import { type Static, t } from '../../platform/http/index.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { readObject } from '../access/index.ts';
import type { ExchangeRow } from '../ground/database.ts';

const Display = t.object({}, { locale: t.string(), name: t.string(), description: t.string() });

const Label = t.object(
  { path: t.array(t.unknown()) },
  { names: t.array(t.object({ name: t.string() }, { locale: t.string() })) },
);

export const ExchangeSummary = t.object(
  {},
  {
    name: t.string({ description: 'What the issuer or verifier calls itself.' }),
    proof: t.string({ description: 'How the issuer or verifier proved who it is; none if it did not.' }),
    offered: t.array(t.object({ configurationId: t.string(), displays: t.array(Display) })),
    credentialIds: t.array(t.string(), { description: 'Credentials that were received.' }),
    responseUri: t.string({ description: 'Where the answer goes.' }),
    presented: t.array(
      t.object(
        { queryId: t.string(), credentialId: t.string(), disclosed: t.array(t.array(t.unknown())) },
        {
          type: t.string(),
          displays: t.array(Display, { description: 'How the issuer names the credential.' }),
          labels: t.array(Label, { description: 'How the issuer names the claims that were shown.' }),
        },
      ),
      { description: 'Credentials and claims that were shown.' },
    ),
  },
);
export type ExchangeSummary = Static<typeof ExchangeSummary>;

export const summarySealContext = ({ owner, id }: Pick<ExchangeRow, 'owner' | 'id'>): string =>
  `wallet|${owner}|${id}|exchange-summary|v1`;

export const sealSummary = (seal: Seal, row: Pick<ExchangeRow, 'owner' | 'id'>, summary: ExchangeSummary): string | null =>
  Object.keys(summary).length === 0 ? null : seal.seal(Buffer.from(JSON.stringify(summary)), summarySealContext(row));

/** Throws if it is damaged. Exchanges of earlier versions have none. */
export const openSummary = (seal: Seal, row: Pick<ExchangeRow, 'owner' | 'id' | 'summary'>): ExchangeSummary =>
  row.summary === null ? {} : readObject<ExchangeSummary>(seal.open(row.summary, summarySealContext(row)).toString());

t.name({ ExchangeDisplay: Display, ExchangeLabel: Label, ExchangeSummary });
