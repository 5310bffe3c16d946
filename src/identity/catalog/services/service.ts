// Services of the catalog.
import { seconds } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { defineNoun, deleteRow, flag, nounRules } from '../../access/noun/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { rememberDeletedLimits } from '../limits/index.ts';

export const service = defineNoun({
  table: 'services',
  one: 'service',
  many: 'services',
  tag: 'Catalog',
  version: 'service',
  invalidates: tagOf.everything,
  fields: {
    type: { body: t.string({ minLength: 1, maxLength: 255 }), answer: t.string(), filter: 'text' },
    name: {
      body: t.string({ minLength: 1, maxLength: 255 }),
      answer: t.string(),
      initial: null,
      show: (name) => name ?? '',
      filter: 'text',
    },
    enabled: flag(true),
  },
  documented: { description: t.nullable(t.string()) },
  words: { delete: { description: 'Its endpoints and its limits are deleted with it.' } },
});

export const createServices = (deps: Pick<Deps, 'db' | 'change' | 'clock'>) =>
  nounRules(service, deps, {
    async remove({ tx }, { id }) {
      await rememberDeletedLimits(tx, 'service_id', [id], seconds(deps.clock));
      return deleteRow(tx, 'services', id);
    },
  });
