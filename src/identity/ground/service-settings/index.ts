// The settings that administrators can change while the service runs: read from the database, followed by every process.
// service-settings.ts has them, rows.ts what is stored, together.ts the rules about several at once; what they are stands in ../settings.
export { inspectStored, type StoredReport, type StoredSetting } from './rows.ts';
export {
  createServiceSettings,
  forgetSetting,
  type ServiceSettings,
  type SettingChanges,
  type ShownSetting,
  storedKeys,
} from './service-settings.ts';
export { checkTogether } from './together.ts';
