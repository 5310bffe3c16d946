// Settings of the identity service. Those of the machine come from the environment or the file. The others belong to the service: an
// administrator can store them, and every process follows.
import type { Setting, Values } from '../../../platform/config/index.ts';
import { applicationRegistrationSettings } from './application-registration.ts';
import { compatibilitySettings } from './compatibility.ts';
import { delegationSettings } from './delegation.ts';
import { machineSettings } from './machine.ts';
import { directoriesSettings, lookSettings, mailSettings, notificationsSettings, registrationSettings } from './people.ts';
import { roleCredentialSettings } from './role-credentials.ts';
import { factorsSettings, lockOutSettings, passwordsSettings, sessionsSettings, walletsSettings } from './sign-in.ts';

/** What belongs to the service, in the groups in which administrators see it. */
export const SERVICE_SETTINGS = {
  passwords: passwordsSettings,
  lock_out: lockOutSettings,
  factors: factorsSettings,
  wallets: walletsSettings,
  sessions: sessionsSettings,
  directories: directoriesSettings,
  registration: registrationSettings,
  application_registration: applicationRegistrationSettings,
  mail: mailSettings,
  look: lookSettings,
  notifications: notificationsSettings,
  role_credentials: roleCredentialSettings,
  delegation: delegationSettings,
  compatibility: compatibilitySettings,
} as const;
export type SettingGroup = keyof typeof SERVICE_SETTINGS;

export const identitySettings = {
  ...machineSettings,
  ...passwordsSettings,
  ...lockOutSettings,
  ...factorsSettings,
  ...walletsSettings,
  ...sessionsSettings,
  ...directoriesSettings,
  ...registrationSettings,
  ...applicationRegistrationSettings,
  ...mailSettings,
  ...lookSettings,
  ...notificationsSettings,
  ...roleCredentialSettings,
  ...delegationSettings,
  ...compatibilitySettings,
} as const;

export { REGISTERED_GRANTS, REGISTERED_SCOPES } from './application-registration.ts';
export { machineSettings } from './machine.ts';
export { madeFrom } from './made-from.ts';

export type IdentityConfig = Values<typeof identitySettings>;
/** The name of a setting that can be stored. */
export type ServiceSettingName = Exclude<keyof IdentityConfig, keyof typeof machineSettings>;

/** A setting that can be stored, with its name in the code. */
export interface ServiceSetting {
  readonly name: ServiceSettingName;
  readonly group: SettingGroup;
  readonly setting: Setting<unknown>;
}

/** By their keys. */
export const serviceSettingsByKey: ReadonlyMap<string, ServiceSetting> = new Map(
  Object.entries(SERVICE_SETTINGS).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, setting]) => [
      setting.key,
      { name: name as ServiceSettingName, group: group as SettingGroup, setting: setting as Setting<unknown> },
    ]),
  ),
);
