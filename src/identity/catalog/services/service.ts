// Services of the catalog.
import { seconds } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { defineNoun, deleteRow, flag } from '../../access/noun/index.ts';
import { rememberDeletedLimits } from '../limits/index.ts';

export const service = defineNoun('service', {
  tag: 'Catalog',
  isVersioned: true,
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
  examples: { create: { type: 'object-store', name: 'Archive' }, change: { description: 'Old papers' } },
  hooks: ({ clock }) => ({
    async remove({ tx }, { id }) {
      await rememberDeletedLimits(tx, 'service_id', [id], seconds(clock));
      return deleteRow(tx, 'services', id);
    },
  }),
});
