// Endpoint groups: all endpoints that have some values in common.
import { t } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { defineNoun } from '../../access/noun/index.ts';
import { fail } from '../../ground/faults.ts';
import { parseJson } from '../../ground/resource/index.ts';

const EndpointGroupFilters = t.object(
  {},
  { service_id: t.string(), region_id: t.nullable(t.string()), interface: t.string() },
  { description: 'What the endpoints of the group have in common.' },
);
t.name({ EndpointGroupFilters });

export const endpointGroup = defineNoun('endpoint_group', {
  under: '/v3/OS-EP-FILTER',
  isClosed: true,
  tag: 'Endpoint filter',
  fields: {
    name: { body: t.string({ minLength: 1, maxLength: 255, pattern: '\\S' }), answer: t.string(), filter: 'text' },
    description: { body: t.nullable(t.string()), initial: null },
    filters: { body: EndpointGroupFilters, store: (said: object) => JSON.stringify(said), show: parseJson },
  },
  // Every token of a project with the group shows its endpoints.
  invalidates: tagOf.everything,
  words: {
    create: { description: 'All endpoints that have the values of `filters`, now and later.' },
    delete: { description: 'A project without any other endpoint or endpoint group has the whole catalog again.' },
  },
  examples: {
    create: { name: 'open to the town', filters: { interface: 'public' } },
    change: { description: 'Whatever the town may reach' },
  },
  hooks: () => ({
    async prepare(_change, { filters }, _id, isNew) {
      if (isNew && Object.keys(filters as object).length === 0)
        fail('request.bad_value', { field: 'filters', why: 'it must not be empty' });
      return undefined;
    },
  }),
});
