// The JSON of /v3/OS-IMPORT.
import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { ImportRunRow } from '../../ground/database/index.ts';
import { ListLinks } from '../../ground/resource/index.ts';

/** More would hold up others: a batch is a transaction. */
export const MOST_RECORDS = 500;

const Name = t.string({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' });
const Kind = t.string({ minLength: 1, maxLength: 64 });
const Report = t.record(t.unknown(), {
  description:
    'As the program that reads the source writes it: what was read, made, there already and not taken, and what is left to do.',
});

export const NewImport = t.envelope(
  'import',
  t.object(
    {
      source: { ...Name, description: 'What the source is called here. What came from it is found again by this name.' },
      kind: { ...Kind, description: 'What it is, such as `keystone`.' },
      rehearsal: t.boolean({ description: 'Nothing is stored but the report.' }),
    },
    {
      merge: t.array(Kind, {
        maxItems: 100,
        description:
          'Kinds of records. Things of these that are here, and did not come from the source, are taken as the same by their id or their name, and changed. Of all other kinds they stay as they are.',
      }),
      domain_id: t.nullable(
        t.string({
          maxLength: 64,
          description: 'Where people and groups go of which the source does not say in which domain they are.',
        }),
      ),
    },
  ),
);

const fields = {
  id: t.string(),
  source: t.string(),
  kind: t.string(),
  rehearsal: t.boolean(),
  merge: t.array(t.string()),
  domain_id: t.nullable(t.string()),
  user_id: t.nullable(t.string({ description: 'Who began it; null: the command, before the first start of the service.' })),
  state: t.oneOf('running', 'finished', 'stopped'),
  started_at: t.string(),
  updated_at: t.string(),
  report: Report,
};
export const Import = t.object(fields);
export const ImportEnvelope = t.envelope('import', Import);
export const ImportList = t.object({ imports: t.array(Import), links: ListLinks });

export const ImportChange = t.envelope(
  'import',
  t.object({ report: Report }, { state: { ...fields.state, description: 'One that has ended takes no more records.' } }),
);

export const ImportBatch = t.envelope(
  'batch',
  t.object({
    kind: { ...Kind, description: 'The kind of all its records.' },
    records: t.array(t.unknown(), {
      maxItems: MOST_RECORDS,
      description: 'Each with a `key`, by which the source knows it. A record that is wrong does not prevent the others.',
    }),
  }),
);

const Remark = t.object({ about: t.oneOf('administrator', 'name', 'left_out', 'hand'), text: t.string() });
const TakenRecord = t.object(
  {
    key: t.string(),
    what: t.string({ description: 'For people, such as `user alice`.' }),
    outcome: t.oneOf('made', 'merged', 'changed', 'unchanged', 'clash', 'refused', 'gone'),
  },
  {
    id: t.string({ description: 'Its id here.' }),
    why: t.string(),
    needs: t.string({ description: 'The kind of what it needs and was not taken. It may be sent again after that.' }),
    remarks: t.array(Remark),
  },
);
export const TakenRecords = t.object({ records: t.array(TakenRecord) });

t.name({ NewImport, Import, ImportEnvelope, ImportList, ImportChange, ImportBatch, TakenRecord, TakenRecords });

export const renderImport = (_base: string, row: ImportRunRow) => ({
  id: row.id,
  source: row.source,
  kind: row.kind,
  rehearsal: row.rehearsal === 1,
  merge: JSON.parse(row.merges) as string[],
  domain_id: row.domain_id,
  user_id: row.user_id,
  state: row.state,
  started_at: isoTime(row.started_at * 1000),
  updated_at: isoTime(row.updated_at * 1000),
  report: JSON.parse(row.report) as Record<string, unknown>,
});
