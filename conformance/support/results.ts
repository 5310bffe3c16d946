// What all pages of results have.
import { spawnSync } from 'node:child_process';

/** When, and which version of the code: `2026-11-17, commit 1a2b3c4.` */
export function whenAndWhat(): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  return `${new Date().toISOString().slice(0, 10)}, commit ${stdout?.trim() || 'unknown'}.`;
}
