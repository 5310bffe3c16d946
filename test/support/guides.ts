// Extracts the commands from the guides. Blocks with the language `sh` are run. A block that cannot be run says why, as in
// ```sh not-run="needs Keycloak". Blocks in other languages are not run.
import { readFileSync } from 'node:fs';

export interface GuideBlock {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  /** Why it is not run, if it is not. */
  readonly notRun: string | undefined;
  readonly text: string;
}

const SHOWN = ['json', 'text', 'ini'];

/** All blocks of a page. A block without a language, or without a reason for not being run, is an error. */
export function blocksOf(file: string, page = readFileSync(file, 'utf8')): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, info] = /^```(.*)$/.exec(lines[at]!) ?? [];
    if (info === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`${file}:${at + 1}: the block does not end`);
    const [, language = '', notRun] = /^(\w*)(?: not-run="([^"]+)")?$/.exec(info) ?? [];
    if (language !== 'sh' && !SHOWN.includes(language))
      throw new Error(`${file}:${at + 1}: a block is ${['sh', ...SHOWN].join(', ')}, not "${info}"`);
    blocks.push({ file, line: at + 1, language, notRun, text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return blocks;
}

export const isRun = ({ language, notRun }: GuideBlock): boolean => language === 'sh' && notRun === undefined;

/** One script of all blocks. It prints where it is, and stops at the first command that fails. */
export function scriptOf(blocks: readonly GuideBlock[]): string {
  const parts = blocks.filter(isRun).map(({ file, line, text }) => `echo '::: ${file}:${line}'\n${text}\n`);
  return `set -euo pipefail\n${parts.join('')}echo '::: done'\n`;
}
