// Service providers: services elsewhere that trust this one. Tokens name those that are enabled, so that clients find them.
import { seconds } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import { defineNoun, flag } from '../../access/noun/index.ts';
import { fail } from '../../ground/faults.ts';
import { checkNewId } from './ids.ts';
import { countServiceProviders, MAX_SERVICE_PROVIDERS } from './service-providers.store.ts';

const Address = (description: string) => t.string({ minLength: 1, maxLength: 225, pattern: '^https?://.+', description });

export const serviceProvider = defineNoun('service_provider', {
  under: '/v3/OS-FEDERATION',
  isClosed: true,
  tag: 'Federation',
  // Every token names those that are enabled.
  invalidates: tagOf.everything,
  id: { parameter: 'sp_id', check: (id) => checkNewId('sp_id', id), filter: 'text' },
  fields: {
    enabled: flag(false, { description: 'Tokens name it.' }),
    description: { body: t.nullable(t.string({ maxLength: 4096 })), answer: t.nullable(t.string()), initial: null },
    auth_url: {
      body: Address('Where a token of this service is turned into one of the other service.'),
      answer: t.string(),
    },
    sp_url: { body: Address('Where the other service takes an assertion about a person.'), answer: t.string() },
    relay_state_prefix: {
      body: t.nullable(t.string({ maxLength: 256 })),
      answer: t.nullable(t.string()),
      // Keystone's default, for SAML.
      initial: 'ss:mem:',
    },
  },
  words: {
    create: {
      description: 'With the id in the path: a service elsewhere that trusts this one. Tokens name it while it is enabled.',
    },
    delete: { description: 'Tokens do not name it any more.' },
  },
  examples: {
    id: 'lighthouse',
    create: {
      auth_url: 'https://identity.lighthouse.example/v3/OS-FEDERATION/identity_providers/town/protocols/saml2/auth',
      sp_url: 'https://identity.lighthouse.example/Shibboleth.sso/SAML2/ECP',
      description: 'The cloud of the lighthouse',
    },
    change: { description: 'The lighthouse' },
  },
  refusals: { create: ['service_provider.limit'] },
  hooks: ({ clock }) => ({
    async prepare({ tx }, _body, _id, isNew) {
      if (!isNew) return undefined;
      if ((await countServiceProviders(tx)) >= MAX_SERVICE_PROVIDERS)
        fail('service_provider.limit', { limit: MAX_SERVICE_PROVIDERS });
      return { created_at: seconds(clock) };
    },
  }),
});
