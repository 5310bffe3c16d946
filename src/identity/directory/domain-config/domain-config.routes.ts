// /v3/domains/{domain_id}/config and /v3/domains/config/default
import { Answer } from '../../../platform/http/index.ts';
import { factsOnly, type IdentityApp } from '../../access/rules/index.ts';
import type { ConfigPart } from '../domain-settings/index.ts';
import type { DomainConfig } from './domain-config.rules.ts';
import { DomainConfigEnvelope } from './domain-config.schema.ts';

const tag = 'Domain configuration';

const PARTS = [
  { path: '', name: 'DomainConfig', words: 'the configuration of a domain' },
  { path: '/:group', name: 'DomainConfigGroup', words: 'a group of options of a domain' },
  { path: '/:group/:option', name: 'DomainConfigOption', words: 'an option of a domain' },
] as const;

const partOf = (params: unknown): ConfigPart => {
  const { group, option } = params as ConfigPart;
  return { group, option };
};

export function mountDomainConfig(app: IdentityApp, { domainConfig }: { readonly domainConfig: DomainConfig }): void {
  mountDefaults(app, domainConfig);
  mountSecurityCompliance(app, domainConfig);
  const target = ({ params }: { params: { domain_id: string } }) => domainConfig.target(params.domain_id);

  app.put(
    '/v3/domains/:domain_id/config',
    {
      id: 'replaceDomainConfig',
      summary: 'Replace the configuration of a domain',
      description:
        'It takes effect at once, on other replicas within a second. Needs a recent login in person. What is not valid is refused, and so is what the operator has fixed, in the file `keystone.<domain name>.conf` or for the whole service. Passwords are never shown.',
      tag,
      rule: 'identity:create_domain_config',
      target,
      body: DomainConfigEnvelope,
      reply: { 200: DomainConfigEnvelope, 201: DomainConfigEnvelope },
    },
    async ({ caller, target: domain, body }) => {
      const { isNew, config } = await domainConfig.replace(caller, domain, body.config);
      return new Answer({ status: isNew ? 201 : 200, body: { config } });
    },
  );
  for (const { path, name, words } of PARTS) {
    const whole = `/v3/domains/:domain_id/config${path}` as const;
    app.get(
      whole,
      {
        id: `get${name}`,
        summary: `Show ${words}`,
        tag,
        rule: 'identity:get_domain_config',
        target,
        reply: { 200: DomainConfigEnvelope },
      },
      async ({ target: domain, params }) => ({ config: await domainConfig.read(domain, partOf(params)) }),
    );
    app.patch(
      whole,
      {
        id: `update${name}`,
        summary: `Change ${words}`,
        tag,
        rule: 'identity:update_domain_config',
        target,
        body: DomainConfigEnvelope,
        reply: { 200: DomainConfigEnvelope },
      },
      async ({ caller, target: domain, params, body }) => ({
        config: await domainConfig.update(caller, domain, partOf(params), body.config),
      }),
    );
    app.delete(
      whole,
      {
        id: `delete${name}`,
        summary: `Delete ${words}`,
        tag,
        rule: 'identity:delete_domain_config',
        target,
        reply: { 204: null },
      },
      ({ caller, target: domain, params }) => domainConfig.remove(caller, domain, partOf(params)),
    );
  }
}

function mountDefaults(app: IdentityApp, domainConfig: DomainConfig): void {
  for (const { path, id, words } of [
    { path: '/default', id: 'getDefaultDomainConfig', words: 'all options' },
    { path: '/:group/default', id: 'getDefaultDomainConfigGroup', words: 'a group of options' },
    { path: '/:group/:option/default', id: 'getDefaultDomainConfigOption', words: 'an option' },
  ] as const)
    app.get(
      `/v3/domains/config${path}`,
      {
        id,
        summary: `Show the default of ${words}`,
        description: 'What is in force for a domain without its own.',
        tag,
        rule: 'identity:get_domain_config_default',
        reply: { 200: DomainConfigEnvelope },
      },
      ({ params }) => ({ config: domainConfig.defaults(partOf(params)) }),
    );
}

function mountSecurityCompliance(app: IdentityApp, domainConfig: DomainConfig): void {
  const target = () => factsOnly({});
  const base = '/v3/domains/:domain_id/config/security_compliance' as const;
  app.get(
    base,
    {
      id: 'getSecurityCompliance',
      summary: 'Show the rules for passwords',
      description: 'For the default domain only, as in Keystone: its rules are those of the whole service.',
      tag,
      rule: 'identity:get_security_compliance_domain_config',
      target,
      reply: { 200: DomainConfigEnvelope },
    },
    async ({ params }) => ({ config: await domainConfig.securityCompliance(params.domain_id) }),
  );
  app.get(
    `${base}/:option`,
    {
      id: 'getSecurityComplianceOption',
      summary: 'Show one rule for passwords',
      tag,
      rule: 'identity:get_security_compliance_domain_config',
      target,
      reply: { 200: DomainConfigEnvelope },
    },
    async ({ params }) => ({ config: await domainConfig.securityCompliance(params.domain_id, params.option) }),
  );
}
