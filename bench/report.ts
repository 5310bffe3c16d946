// Prints the figures as a table: on the terminal, and between the markers in README.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { generator } from './load.ts';

export interface Figure {
  readonly scenario: string;
  /** What was measured, in words. */
  readonly what: string;
  readonly figure: string;
  readonly target?: string;
  readonly ok?: boolean;
  readonly rate?: number;
  readonly cpuMicros?: number;
}

const README = join(import.meta.dirname, 'README.md');

const HEAD = ['what', 'figure', 'target', '', 'per second', 'CPU us each'];

function cells({ what, figure, target, ok, rate, cpuMicros }: Figure): string[] {
  const verdict = ok === undefined ? '' : ok ? 'ok' : 'MISSED';
  const whole = (value: number | undefined) => (value === undefined ? '' : Math.round(value).toLocaleString('en'));
  const perSecond = rate !== undefined && rate < 100 ? rate.toFixed(1) : whole(rate);
  return [what, figure, target ?? '', verdict, perSecond, whole(cpuMicros)];
}

export function table(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

export function circumstances(options: string): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: import.meta.dirname }).trim();
  const changed = execFileSync('git', ['status', '--porcelain', '--', '../src', '../bin'], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  }).trim();
  const [first] = cpus();
  const machine = `${cpus().length} cores (${process.arch}, ${first?.model.trim() ?? 'unknown'})`;
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, commit ${commit}${changed ? ' with uncommitted changes' : ''}, ${machine}, Node ${process.versions.node}, ${generator}${options ? `, ${options}` : ''}`;
}

/** `part`: the name in the markers of the part that is replaced. */
export function writeReadme(text: string, part = 'figures'): void {
  const [BEGIN, END] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const page = readFileSync(README, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${README} has lost its markers ${BEGIN} and ${END}`);
  writeFileSync(README, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`);
}
