// The npm package: JavaScript instead of TypeScript, and what the services read from the disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, ROOT } from './build.ts';
import { missingImports, toJavaScript, withJavaScriptNames } from './javascript.ts';
import { productionLock } from './lock.ts';
import { below, merge, readTree, type Tree, type TreeFile, textFile } from './tree.ts';

const isTest = (path: string): boolean => /\.test\.ts$|\.d\.ts$/.test(path);

/** The launcher. bin/run.js is for the scripts of the project. */
const LAUNCHER = ['gatehouse.js', 'runtime.js', 'replace-process.js', 'parent.js', 'end-with-parent.js'];

function sources(): Map<string, TreeFile> {
  const tree = new Map<string, TreeFile>();
  for (const [path, file] of readTree(join(ROOT, 'src'), (name) => !isTest(name))) {
    if (!path.endsWith('.ts')) tree.set(path, file);
    else tree.set(path.replace(/\.ts$/, '.js'), textFile(toJavaScript(file.bytes.toString())));
  }
  return tree;
}

function launcher(): Map<string, TreeFile> {
  return new Map(
    [...readTree(join(ROOT, 'bin'), (name) => LAUNCHER.includes(name))].map(([name, { bytes, mode }]) => [
      name,
      // npm makes the command executable; a checkout without that bit must give the same package.
      textFile(withJavaScriptNames(bytes.toString()), name === 'gatehouse.js' ? 0o755 : mode & ~0o111),
    ]),
  );
}

/** Pages for browsers stay TypeScript: the service removes their types itself when it serves them. */
const pages = (): Tree => readTree(join(ROOT, 'console'), (name) => /\.(?:ts|css|svg)$/.test(name) && !isTest(name));

/** Guides, and the API documents that the services show. */
const documents = (): Tree =>
  readTree(join(ROOT, 'docs'), (name) => /^(?:guide\/[^/]+|config|errors)\.md$|^api\/[^/]+\.openapi\.json$/.test(name));

/** What people who install the package need of package.json: no scripts, nothing for development. */
function packedManifest(): string {
  const { scripts, devDependencies, overrides, private: isPrivate, ...rest } = manifest();
  return `${JSON.stringify({ ...rest, bundleDependencies: [BUNDLED] }, null, 2)}\n`;
}

/**
 * A part of our package, with all that it needs, because one of these (cbor-x) names an optional package with an install script: cbor-extract, which
 * is native and only faster. npm would warn of it. A lock does not prevent that: npm does not read those of packages that it installs from a file.
 * What a bundled package needs must be with it: npm 11 leaves folders empty that are needed by it and by others.
 */
const BUNDLED = '@owf/mdoc';
const NEEDED = ['cbor-x', 'zod', 'zod-validation-error'];
const isLoaded = (name: string): boolean =>
  /(?:\.[cm]?js|LICENSE|package\.json)$/.test(name) && !/^(?:src|dist\/test)\b/.test(name);

/** The files of a package, which is then as if nothing else could make it faster. */
function withoutOptional(name: string): Map<string, TreeFile> {
  const tree = readTree(join(ROOT, 'node_modules', name), isLoaded);
  const { optionalDependencies, ...rest } = JSON.parse(tree.get('package.json')!.bytes.toString());
  return tree.set('package.json', textFile(`${JSON.stringify(rest, null, 2)}\n`));
}

function bundled(): Map<string, TreeFile> {
  const own = withoutOptional(BUNDLED);
  const needed = Object.keys(JSON.parse(own.get('package.json')!.bytes.toString()).dependencies);
  const absent = needed.filter((name) => !NEEDED.includes(name));
  if (absent.length > 0) throw new Error(`${BUNDLED} also needs ${absent.join(', ')}`);
  return merge(own, ...NEEDED.map((name) => below(`node_modules/${name}`, withoutOptional(name))));
}

const ownFile = (name: string): [string, TreeFile] => [name, textFile(readFileSync(join(ROOT, name), 'utf8'))];

export function npmPackage(): Map<string, TreeFile> {
  const tree = merge(
    below('bin', launcher()),
    below('src', sources()),
    below('console', pages()),
    below('docs', documents()),
    below(`node_modules/${BUNDLED}`, bundled()),
    new Map(['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'].map(ownFile)),
    new Map([
      ['package.json', textFile(packedManifest())],
      ['npm-shrinkwrap.json', textFile(productionLock())],
    ]),
  );
  const missing = [...tree].flatMap(([path, { bytes }]) =>
    /^(?:src|bin)\/.*\.js$/.test(path)
      ? missingImports(
          path,
          bytes.toString(),
          (target) => tree.has(target) || isFolder(tree, target) || target.startsWith('node_modules/.cache'),
        )
      : [],
  );
  if (missing.length > 0) throw new Error(missing.join('\n'));
  return tree;
}

const isFolder = (tree: Tree, path: string): boolean => [...tree.keys()].some((name) => name.startsWith(`${path}/`));
