// How `npm run check` calls the compiler: it remembers what it checked, in files that git ignores, and checks only what a change concerns.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { SourceFile } from './code-rules.ts';

const DECLARES_FOR_OTHERS = /\bdeclare\s+(?:global|module)\b/;

/**
 * What concerns files that do not import it. TypeScript 7.0 does not check these again when it changes (microsoft/typescript-go#4664), so
 * everything is checked anew: with other declarations of ours for all files, other settings, or other packages.
 */
function commonGround(project: string, files: readonly SourceFile[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of files) {
    if (path.endsWith('.d.ts') || DECLARES_FOR_OTHERS.test(text)) hash.update(JSON.stringify([path, text]));
  }
  for (const path of ['tsconfig.json', join(project, 'tsconfig.json'), 'node_modules/.package-lock.json']) {
    hash.update(JSON.stringify([path, existsSync(path) ? readFileSync(path, 'utf8') : '']));
  }
  return hash.digest('hex');
}

/** The arguments of `tsc` for a project. `folder` is where it remembers, `files` are ours at least. */
export function compilerArguments(project: string, files: readonly SourceFile[], folder: string): string[] {
  const memory = `${commonGround(project, files)}.tsbuildinfo`;
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name !== memory) rmSync(join(folder, name), { force: true });
  // Types that several checkers need are made by each of them: more checkers than cores only add work. Four is the default.
  const checkers = String(Math.min(4, availableParallelism()));
  return ['-p', project, '--incremental', '--tsBuildInfoFile', join(folder, memory), '--checkers', checkers];
}
