// The files of pages that run in the browser: TypeScript modules whose types are removed when they are first asked for, style sheets,
// and the modules of Lit. The path contains a hash of them all, so browsers keep every file for good, and relative imports stay
// within one version.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** Lit as its packages are; each is served below `lib/`. */
const LIBRARIES = ['lit', 'lit-html', 'lit-element', '@lit/reactive-element'] as const;
const LIT_MAINS: Readonly<Record<string, string>> = {
  lit: 'index.js',
  'lit-html': 'lit-html.js',
  '@lit/reactive-element': 'reactive-element.js',
};
/** Without the development builds, which are larger and write warnings. */
const LIBRARY_FILE = /^(?:directives\/)?[\w-]+\.js$/;

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const typeOf = (name: string): string | undefined => TYPES[name.slice(name.lastIndexOf('.'))];

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly br: Promise<Buffer>;
  readonly gzip: Promise<Buffer>;
}

export interface PageFiles {
  /** Below this path are the files; it ends with a slash. */
  readonly root: string;
  /** What bare imports such as `lit` stand for. */
  readonly importMap: string;
  at(path: string): PageFile | undefined;
  /** A module and everything that it imports, but not what it loads later, as paths. */
  modulesOf(entry: string): readonly string[];
}

export interface PageFilesOptions {
  /** Where the sources are. */
  readonly folder: string;
  /** The folders within it that are served. */
  readonly subfolders: readonly string[];
  /** The path below which they are served, such as `/console/files/`. */
  readonly path: string;
  /** Further packages that modules of the page import by the names of their files, such as `qr/decode.js`. */
  readonly libraries?: readonly string[];
  /** The pages have no modules, so Lit is not needed. */
  readonly withoutScripts?: boolean;
}

const require = createRequire(import.meta.url);
/** The folder of a package. Not every package exports its package.json, but all of Lit's have their main module at the top. */
const libraryFolder = (name: string): string =>
  dirname(require.resolve(name === 'lit-element' ? 'lit-element/lit-element.js' : name));

/** `require` finds the builds for Node, which are in a folder of their own. */
const withoutNodeBuild = (folder: string): string => folder.replace(/\/node$/, '');

function librarySources(libraries: readonly string[]): [string, string][] {
  return libraries.flatMap((library) => {
    const folder = withoutNodeBuild(libraryFolder(library));
    return globSync('{*,directives/*}.js', { cwd: folder })
      .filter((name) => LIBRARY_FILE.test(name))
      .map((name): [string, string] => [`lib/${library}/${name}`, join(folder, name)]);
  });
}

/** Modules of Lit end with the name of a source map, which is not served. */
const withoutSourceMap = (text: string): string => text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');

const IMPORTS = /(?:^|[;\n}])\s*(?:import|export)\s*(?:[^'"();]*?\bfrom\s*)?["']([^"']+)["']/g;

function importMapOf(root: string, libraries: readonly string[]): string {
  const imports: Record<string, string> = {};
  for (const library of libraries) {
    if (LIT_MAINS[library]) imports[library] = `${root}lib/${library}/${LIT_MAINS[library]}`;
    imports[`${library}/`] = `${root}lib/${library}/`;
  }
  return JSON.stringify({ imports });
}

const deflate = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Compressed when a browser first asks for it. */
export function fileOf(type: string, content: string | Buffer): PageFile {
  const bytes = Buffer.from(content);
  let [br, gz]: (Promise<Buffer> | undefined)[] = [];
  return {
    type,
    bytes,
    get br() {
      br ??= deflate.br(bytes);
      return br;
    },
    get gzip() {
      gz ??= deflate.gzip(bytes);
      return gz;
    },
  };
}

/** Reads the sources once. Nothing is looked for on the disk by a path from a request. */
export function createPageFiles({
  folder,
  subfolders,
  path,
  libraries = [],
  withoutScripts = false,
}: PageFilesOptions): PageFiles {
  const packages = withoutScripts ? [] : [...LIBRARIES, ...libraries];
  const types = withoutScripts ? 'css,svg,png' : 'ts,css,svg,png';
  const own = subfolders.flatMap((name) => globSync(`${name}/**/*.{${types}}`, { cwd: folder }));
  const sources = new Map<string, Buffer>();
  const hash = createHash('sha256');
  const located = [...own.map((name): [string, string] => [name, join(folder, name)]), ...librarySources(packages)];
  for (const [name, location] of located.sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (name.endsWith('.test.ts')) continue;
    const content = readFileSync(location);
    sources.set(name, content);
    hash.update(`${name}\0`).update(content).update('\0');
  }
  const root = `${path}${hash.digest('base64url').slice(0, 16)}/`;
  const importMap = importMapOf(root, packages);
  const { imports } = JSON.parse(importMap) as { imports: Record<string, string> };
  const files = new Map<string, PageFile>();

  function load(name: string): PageFile | undefined {
    const content = sources.get(name);
    const type = typeOf(name);
    if (content === undefined || type === undefined) return undefined;
    if (name.endsWith('.png')) return fileOf(type, content);
    const text = content.toString('utf8');
    return fileOf(type, name.endsWith('.ts') ? stripTypeScriptTypes(text, { mode: 'strip' }) : withoutSourceMap(text));
  }

  function at(asked: string): PageFile | undefined {
    if (!asked.startsWith(root)) return undefined;
    const name = asked.slice(root.length);
    const file = files.get(name) ?? load(name);
    if (file) files.set(name, file);
    return file;
  }

  function resolve(specifier: string, from: string): string | undefined {
    if (specifier.startsWith('.')) return new URL(specifier, `http://pages${from}`).pathname;
    const prefix = Object.keys(imports).find((key) => key === specifier || (key.endsWith('/') && specifier.startsWith(key)));
    return prefix === undefined ? undefined : imports[prefix]! + specifier.slice(prefix.length);
  }

  function findModules(entry: string): string[] {
    const found = new Set<string>();
    const visit = (one: string): void => {
      const file = found.has(one) ? undefined : at(one);
      if (!file) return;
      found.add(one);
      for (const [, specifier] of file.bytes.toString('utf8').matchAll(IMPORTS)) {
        const next = resolve(specifier!, one);
        if (next !== undefined) visit(next);
      }
    };
    visit(root + entry);
    return [...found];
  }

  const known = new Map<string, readonly string[]>();
  /** Found once: every document names them, also those for strangers. */
  function modulesOf(entry: string): readonly string[] {
    const modules = known.get(entry) ?? findModules(entry);
    known.set(entry, modules);
    return modules;
  }

  return { root, importMap, at, modulesOf };
}

export const accepts = (header: string | undefined, coding: string): boolean =>
  new RegExp(`(?:^|,)\\s*${coding}\\s*(?:,|$|;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$)))`, 'i').test(header ?? '');

/** For files whose path has the hash of their content. */
const LASTING = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

export async function sendPageFile(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  file: PageFile,
  more: Readonly<Record<string, string>> = LASTING,
): Promise<void> {
  const coding = (['br', 'gzip'] as const).find((one) => accepts(headers['accept-encoding'], one));
  const bytes = coding ? await file[coding] : file.bytes;
  response.writeHead(200, {
    'Content-Type': file.type,
    'Content-Length': bytes.byteLength,
    ...(coding ? { 'Content-Encoding': coding } : {}),
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    ...more,
  });
  response.end(method === 'HEAD' ? undefined : bytes);
}
