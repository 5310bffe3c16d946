// Real requests and answers, recorded by scripts/examples.ts.
import { readFileSync } from 'node:fs';
import type { Examples } from '../../platform/openapi/index.ts';

export const examples = (): Readonly<Record<string, Examples>> =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Record<string, Examples>;
