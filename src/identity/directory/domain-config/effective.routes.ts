// /v3/OS-SERVICE/domains/{domain_id}/settings: what is in force in a domain, and where each comes from.
import { Answer } from '../../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import { CHANGE_IF_MATCH, ETAG } from '../../ground/resource/index.ts';
import type { EffectiveSettings } from './effective.rules.ts';
import { DomainSettingChangesEnvelope, DomainSettingList } from './effective.schema.ts';

const tag = 'Domain configuration';

export function mountEffectiveSettings(
  app: IdentityApp,
  { effectiveSettings }: { readonly effectiveSettings: EffectiveSettings },
): void {
  const target = ({ params }: { params: { domain_id: string } }) => effectiveSettings.target(params.domain_id);
  const shown = (caller: Caller, domain: ProjectRow) =>
    new Answer({
      body: { settings: effectiveSettings.list(caller, domain) },
      headers: { ETag: `"${effectiveSettings.version(domain)}"` },
    });

  app.get(
    '/v3/OS-SERVICE/domains/:domain_id/settings',
    {
      id: 'listDomainSettings',
      summary: 'List the settings in force in a domain',
      description:
        'With where each comes from: the file of the domain, the environment or the file of settings (fixed by the operator), the domain, the service, or the default. Managers of the domain do not see where its directory is.',
      tag,
      rule: 'identity:list_domain_settings',
      target,
      documentation: ETAG,
      reply: { 200: DomainSettingList },
    },
    ({ caller, target: domain }) => shown(caller, domain),
  );

  app.patch(
    '/v3/OS-SERVICE/domains/:domain_id/settings',
    {
      id: 'updateDomainSettings',
      summary: 'Change settings of a domain',
      description:
        'All of them or none, as by `/v3/domains/{domain_id}/config`. They take effect at once, on other replicas within a second. Needs a recent login in person. Managers of the domain change what the setting `GATEHOUSE_IDENTITY_DOMAIN_MANAGER_SETTINGS` leaves to them, and make it stricter only. 409 means that the operator has fixed a setting.',
      tag,
      rule: 'identity:update_domain_settings',
      target,
      documentation: CHANGE_IF_MATCH,
      body: DomainSettingChangesEnvelope,
      reply: { 200: DomainSettingList },
    },
    async ({ caller, target: domain, body, headers }) => {
      await effectiveSettings.store(caller, domain, body.settings, headers['if-match']);
      return shown(caller, domain);
    },
  );
}
