// Policies: what services store here for themselves. Our own rules are in access/rules/.
import { t } from '../../../platform/http/index.ts';
import { defineNoun } from '../../access/noun/index.ts';

export const policy = defineNoun('policy', {
  tag: 'Policies',
  fields: {
    blob: { body: t.string({ description: 'The policy, in a form that only its services know.' }) },
    type: { body: t.string({ maxLength: 255, description: 'A media type, such as application/json.' }), filter: 'text' },
  },
  words: {
    create: {
      summary: 'Store a policy of a service',
      description: 'It is kept as it is. It has no effect on this service.',
    },
    delete: { description: 'Endpoints that used it then use the next policy that applies to them, if there is one.' },
  },
  examples: {
    create: { blob: '{"papers:read": "role:reader"}', type: 'application/json' },
    change: { blob: '{"papers:read": "role:member"}' },
  },
});
