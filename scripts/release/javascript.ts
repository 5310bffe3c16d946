// Node does not strip types below node_modules. So the package has JavaScript: the sources with their types replaced by spaces, and
// `.ts` in specifiers by `.js`. Nothing moves: lines and columns of a stack trace are those of the sources.
import { stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';

/** A relative specifier in an import, an export, a dynamic import, or `new URL('./worker.ts', import.meta.url)`. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(\s*|^import\s+|\bnew URL\(\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/gm;

export const withJavaScriptNames = (code: string): string => code.replace(SPECIFIER, '$1$2$3.js$2');

const withoutTrailingSpaces = (code: string): string => code.replace(/[ \t]+$/gm, '');

export function toJavaScript(source: string): string {
  const stripped = stripTypeScriptTypes(source, { mode: 'strip' });
  // Formatted sources end lines with spaces in template literals only. Where there are none, those at the end are what is left of types.
  const isPlain = source === withoutTrailingSpaces(source);
  return withJavaScriptNames(isPlain ? withoutTrailingSpaces(stripped) : stripped);
}

const RELATIVE = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+|\bnew URL\(\s*)['"](\.{1,2}\/[^'"\n]*)['"]/gm;

/** Imports of a module that lead to no file. A release with one would fail only when the module is loaded. */
export function missingImports(path: string, code: string, has: (path: string) => boolean): string[] {
  return [...code.matchAll(RELATIVE)]
    .map(([, specifier]) => posix.join(posix.dirname(path), specifier!))
    .filter((target) => !has(target))
    .map((target) => `${path} imports ${target}, which is not in the package`);
}
