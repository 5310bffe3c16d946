// Configuration: typed settings, loaded from the environment, a file, or their defaults.
export { defaultsOf, type IniFile, readIni, type Sections, type SectionValues } from './ini.ts';
export { type ListenSettings, listening, ownUrl } from './listen.ts';
export { ConfigError, describe, type Environment, load, refuseUnknownKeys } from './load.ts';
export { nearby, nearest } from './nearest.ts';
export type { Setting, Settings, Values } from './settings.ts';
export * as setting from './settings.ts';
