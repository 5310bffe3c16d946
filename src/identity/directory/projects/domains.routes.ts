// /v3/domains

import { factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  ETAG,
  filterDocumentation,
  listOf,
  NAME_AND_CREATION,
  searchDocumentation,
  withEtag,
  withExtra,
} from '../../ground/resource/index.ts';
import type { Domains } from './domains.rules.ts';
import { CreateDomain, DomainEnvelope, DomainList, renderDomain, UpdateDomain } from './projects.schema.ts';

const tag = 'Domains';

export function mountDomains(app: IdentityApp, { domains }: { domains: Domains }): void {
  const domain = ({ params }: { params: { domain_id: string } }) => domains.target(params.domain_id);

  app.get(
    '/v3/domains',
    {
      id: 'listDomains',
      summary: 'List domains',
      tag,
      rule: 'identity:list_domains',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: searchDocumentation(filterDocumentation(['name'], ['enabled']), 'name', NAME_AND_CREATION),
      reply: { 200: DomainList },
    },
    async (call) => listOf(call, 'domains', await domains.list(call.caller, call.query), renderDomain),
  );

  app.post(
    '/v3/domains',
    {
      id: 'createDomain',
      summary: 'Create a domain',
      description: '`explicit_domain_id` gives it an id, for services that share domains.',
      tag,
      rule: 'identity:create_domain',
      body: CreateDomain,
      reply: { 201: DomainEnvelope },
    },
    async ({ caller, body, base }) => ({ domain: renderDomain(base, await domains.create(caller, body.domain)) }),
  );

  app.get(
    '/v3/domains/:domain_id',
    {
      id: 'getDomain',
      summary: 'Show a domain',
      tag,
      rule: 'identity:get_domain',
      target: domain,
      documentation: ETAG,
      reply: { 200: DomainEnvelope },
    },
    async ({ target, base }) => {
      const row = await domains.get(target);
      return withEtag(row, { domain: renderDomain(base, row) });
    },
  );

  app.patch(
    '/v3/domains/:domain_id',
    {
      id: 'updateDomain',
      summary: 'Change a domain',
      description: '`enabled: false` locks out everybody in the domain.',
      tag,
      rule: 'identity:update_domain',
      target: domain,
      body: UpdateDomain,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: DomainEnvelope },
    },
    async (call) => {
      const row = await domains.update(callerIfMatch('domain', call), call.target, call.body.domain);
      return withEtag(row, { domain: withExtra(row, renderDomain(call.base, row)) });
    },
  );

  app.delete(
    '/v3/domains/:domain_id',
    {
      id: 'deleteDomain',
      summary: 'Delete a domain',
      description: 'Only a disabled domain can be deleted; users, groups and projects in it are deleted with it.',
      tag,
      rule: 'identity:delete_domain',
      target: domain,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => domains.remove(callerIfMatch('domain', call), call.target),
  );
}
