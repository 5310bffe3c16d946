// /v3/OS-IMPORT: what other systems have is moved in. `gatehouse import` reads them and calls this.
import type { IdentityApp } from '../../access/rules/index.ts';
import { listOf, PAGE_DOCUMENTATION } from '../../ground/resource/index.ts';
import type { Imports } from './imports.rules.ts';
import {
  ImportBatch,
  ImportChange,
  ImportEnvelope,
  ImportList,
  NewImport,
  renderImport,
  TakenRecords,
} from './imports.schema.ts';

const tag = 'Import';
const path = '/v3/OS-IMPORT/imports';
const BATCH_BYTES = 16 * 1024 * 1024;

export function mountImports(app: IdentityApp, { imports }: { readonly imports: Imports }): void {
  const target = ({ params }: { params: { import_id: string } }) => imports.target(params.import_id);

  app.get(
    path,
    {
      id: 'listImports',
      summary: 'List imports',
      description: 'The newest twenty of each source, rehearsals included, the newest first.',
      tag,
      rule: 'identity:list_imports',
      documentation: PAGE_DOCUMENTATION,
      reply: { 200: ImportList },
    },
    async (call) => listOf(call, 'imports', await imports.list(call.query), renderImport),
  );

  app.get(
    `${path}/:import_id`,
    {
      id: 'showImport',
      summary: 'Show an import with its report',
      tag,
      rule: 'identity:list_imports',
      target,
      reply: { 200: ImportEnvelope },
    },
    async ({ base, target: row }) => ({ import: renderImport(base, row) }),
  );

  app.post(
    path,
    {
      id: 'startImport',
      summary: 'Begin an import',
      description:
        'A rehearsal stores nothing but its report. The same source is read as often as you like: what did not change there is left alone, and nothing is ever deleted.',
      tag,
      rule: 'identity:import',
      body: NewImport,
      reply: { 201: ImportEnvelope },
    },
    async ({ base, caller, body }) => ({ import: renderImport(base, await imports.begin(caller, body.import)) }),
  );

  app.post(
    `${path}/:import_id/batches`,
    {
      id: 'importRecords',
      summary: 'Take records of one kind',
      description:
        'In one transaction. What they need comes before them: a domain before its users. The answer says of each what became of it. After an answer that did not arrive, send the batch again: nothing is taken twice.',
      tag,
      rule: 'identity:import',
      target,
      body: ImportBatch,
      bodyLimit: BATCH_BYTES,
      reply: { 200: TakenRecords },
    },
    async ({ caller, target: row, body: { batch } }) => ({
      records: await imports.take(caller, row, batch.kind, batch.records),
    }),
  );

  app.patch(
    `${path}/:import_id`,
    {
      id: 'reportImport',
      summary: 'Store the report of an import, and end it',
      tag,
      rule: 'identity:import',
      target,
      body: ImportChange,
      reply: { 200: ImportEnvelope },
    },
    async ({ base, caller, target: row, body }) => ({
      import: renderImport(base, await imports.report(caller, row, body.import)),
    }),
  );
}
