// Links in documents lead somewhere, and the files that docs/developing names are there.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DOCUMENTS = ['*.md', '{bench,conformance,console,docs,examples,packaging,scripts,test}/**/*.md'];
const LINK = /\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g;
/** A file or a pattern of files. `NNN` stands for a number. */
const FILE = /(?<![\w./:-])(?:bin|bench|conformance|console|docs|examples|scripts|src|test)\/(?!\S*NNN)[\w.*{},/-]*\w/g;

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!)));

export function linkFaults(path: string, text: string): string[] {
  return [...text.matchAll(LINK)].flatMap(([, target = '', anchor]) => {
    const to = target === '' ? path : join(dirname(path), decodeURIComponent(target));
    if (!existsSync(to)) return [`${path}: the link to ${target} leads nowhere; ${to} is not there`];
    if (anchor !== undefined && to.endsWith('.md') && !anchorsIn(readFileSync(to, 'utf8')).has(anchor))
      return [`${path}: ${to} has no heading #${anchor}`];
    return [];
  });
}

export const fileFaults = (path: string, text: string): string[] =>
  [...new Set(text.match(FILE) ?? [])]
    .filter((file) => globSync(file).length === 0)
    .map((file) => `${path} names ${file}, which is not there`);

export function documentFaults(): string[] {
  const paths = globSync(DOCUMENTS, { exclude: (path) => path.includes('node_modules') });
  return paths.sort().flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return [...linkFaults(path, text), ...(path.startsWith('docs/developing/') ? fileFaults(path, text) : [])];
  });
}
