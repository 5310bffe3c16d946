// /v3/domains

import { filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
import type { Domains } from './domains.rules.ts';
import { CreateDomain, DomainEnvelope, DomainList, renderDomain, UpdateDomain } from './projects.schema.ts';

const tag = 'Domains';

export function mountDomains(app: IdentityApp, { domains }: { domains: Domains }): void {
  app.get(
    '/v3/domains',
    {
      summary: 'List domains',
      tag,
      policy: 'identity:list_domains',
      described: filtered(['name'], ['enabled']),
      reply: { 200: DomainList },
    },
    async (call) => {
      const page = await domains.list(call.caller, call.query);
      return listOf(call, 'domains', { ...page, items: page.items.map((domain) => renderDomain(call.base, domain)) });
    },
  );

  app.post(
    '/v3/domains',
    { summary: 'Create a domain', tag, policy: 'identity:create_domain', body: CreateDomain, reply: { 201: DomainEnvelope } },
    async ({ caller, body, base }) => ({ domain: renderDomain(base, await domains.create(caller, body.domain)) }),
  );

  app.get(
    '/v3/domains/:domain_id',
    { summary: 'Show a domain', tag, policy: 'identity:get_domain', reply: { 200: DomainEnvelope } },
    async ({ caller, params, base }) => ({ domain: renderDomain(base, await domains.get(caller, params.domain_id)) }),
  );

  app.patch(
    '/v3/domains/:domain_id',
    { summary: 'Change a domain', tag, policy: 'identity:update_domain', body: UpdateDomain, reply: { 200: DomainEnvelope } },
    async ({ caller, params, body, base }) => ({
      domain: renderDomain(base, await domains.update(caller, params.domain_id, body.domain)),
    }),
  );

  app.delete(
    '/v3/domains/:domain_id',
    { summary: 'Delete a disabled domain and everything in it', tag, policy: 'identity:delete_domain', reply: { 204: null } },
    async ({ caller, params }) => domains.remove(caller, params.domain_id),
  );
}
