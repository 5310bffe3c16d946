// The settings that administrators can see, and change while the service runs. How they are stored and followed: ground/service-settings.
export { mountServiceSettings } from './service-settings.routes.ts';
export { createSettingManagement, type SettingManagement, type SettingsCheck } from './service-settings.rules.ts';
