// /v3/OS-SERVICE/settings: what is in force, and what administrators change.
import { Answer } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { CHANGE_IF_MATCH, ETAG } from '../../ground/resource/index.ts';
import type { SettingManagement } from './service-settings.rules.ts';
import { SettingChangesEnvelope, SettingList } from './service-settings.schema.ts';

const tag = 'Service';

export function mountServiceSettings(
  app: IdentityApp,
  { settingManagement }: { readonly settingManagement: SettingManagement },
): void {
  const shown = () =>
    new Answer({ body: { settings: settingManagement.list() }, headers: { ETag: `"${settingManagement.version()}"` } });

  app.get(
    '/v3/OS-SERVICE/settings',
    {
      id: 'listServiceSettings',
      summary: 'List the settings in force',
      description:
        'With where each comes from: the environment or the file (fixed by the operator), the service, or the default.',
      tag,
      rule: 'identity:list_service_settings',
      documentation: ETAG,
      reply: { 200: SettingList },
    },
    shown,
  );

  app.patch(
    '/v3/OS-SERVICE/settings',
    {
      id: 'updateServiceSettings',
      summary: 'Change settings of the service',
      description:
        'All of them or none. They take effect at once, on other replicas within a second. Needs a recent login in person. 409 means that the operator has fixed a setting in the environment or the file.',
      tag,
      rule: 'identity:update_service_settings',
      documentation: CHANGE_IF_MATCH,
      body: SettingChangesEnvelope,
      reply: { 200: SettingList },
    },
    async ({ caller, body, headers }) => {
      await settingManagement.store(caller, body.settings, headers['if-match']);
      return shown();
    },
  );
}
