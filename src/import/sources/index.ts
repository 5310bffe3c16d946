// All kinds of sources, by the word of the command. Each is loaded when it is used: it may bring the driver of a database.
import type { SourceKind } from '../source.ts';

export const SOURCES: Readonly<Record<string, () => Promise<SourceKind>>> = {
  keystone: async () => (await import('./keystone/index.ts')).keystone,
};

export const SOURCE_NAMES = Object.keys(SOURCES);
