// Configuration: typed settings, loaded from the environment, a file, or their defaults.
export { defaultsOf, type IniFile, readIni, type Sections, type SectionValues } from './ini.ts';
export { explainListenErrors, type ListenSettings, type LocalName, serviceUrl } from './listen.ts';
export {
  ConfigError,
  describeSettings,
  type EffectiveSetting,
  type Environment,
  effectiveSettings,
  load,
  refuseUnknownKeys,
  shownValue,
} from './load.ts';
export { nearestMatch, nearMatch } from './nearest.ts';
export type { Setting, SettingInput, Settings, Values } from './settings.ts';
export * as setting from './settings.ts';
