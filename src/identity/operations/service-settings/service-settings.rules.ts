// What administrators may store as settings of the service.
import type { Caller, FreshLogin } from '../../access/rules/index.ts';
import { type Deps, isMatch } from '../../ground/resource/index.ts';
import type { ServiceSettings, SettingChanges } from '../../ground/service-settings/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';

/** Fails if the service could not work with these settings, or nobody could administer it any more. */
export type SettingsCheck = (next: IdentityConfig, reader: Deps['db']['read']) => Promise<void>;

export interface SettingManagementDeps extends Pick<Deps, 'change'> {
  readonly serviceSettings: ServiceSettings;
  readonly freshLogin: FreshLogin;
  readonly checks: readonly SettingsCheck[];
}

export function createSettingManagement({ change, serviceSettings, freshLogin, checks }: SettingManagementDeps) {
  return {
    list: serviceSettings.list,
    version: serviceSettings.version,

    async store(caller: Caller, changes: SettingChanges, ifMatch: string | undefined): Promise<void> {
      await freshLogin.requireInPerson(caller, 'identity:update_service_settings');
      await serviceSettings.store(
        change,
        caller,
        changes,
        (version) => isMatch(ifMatch, version),
        async (next, reader) => {
          for (const check of checks) await check(next, reader);
        },
      );
    },
  };
}

export type SettingManagement = ReturnType<typeof createSettingManagement>;
