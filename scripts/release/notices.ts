// The licences of everything that is shipped, in one text. Equal texts are printed once.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenseOf, nameOf, productionPackages } from './lock.ts';

const LINE = '-'.repeat(80);

interface Notice {
  readonly packages: Set<string>;
  readonly text: string;
}

/** Licences that may be shipped with a product under Apache-2.0. */
const ALLOWED =
  /^(?:MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|CC0-1\.0|Unlicense|Python-2\.0|W3C-20150513|BlueOak-1\.0\.0)$/;

export const isAllowed = (license: string): boolean =>
  license
    .replace(/[()]/g, '')
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((one) => ALLOWED.test(one)));

function licenceTexts(folder: string): string[] {
  return globSync('*', { cwd: folder })
    .filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replace(/\r\n/g, '\n').trim());
}

/** The folders have all packages between them: each has those for its machine. */
export function notices(moduleFolders: readonly string[]): string {
  const found = new Map<string, Notice>();
  const lines: string[] = [];
  for (const [folder, locked] of productionPackages()) {
    const places = moduleFolders.map((modules) => join(modules, folder.slice('node_modules/'.length)));
    const texts = [...new Set(places.flatMap(licenceTexts))];
    const isInstalled = places.some((place) => globSync('package.json', { cwd: place }).length > 0);
    // Packages for other systems than ours are in the lock file, but not in the release.
    if (!isInstalled) continue;
    const name = `${nameOf(folder, locked)} ${locked.version}`;
    const license = licenseOf(folder, locked);
    if (!isAllowed(license)) throw new Error(`${name} has the licence ${license}, which is not among those that may be shipped`);
    const line = `${name} (${license})${texts.length === 0 ? ': the package has no licence file' : ''}`;
    if (!lines.includes(line)) lines.push(line);
    for (const text of texts) {
      const notice = found.get(text) ?? { packages: new Set<string>(), text };
      notice.packages.add(name);
      found.set(text, notice);
    }
  }
  const chapters = [...found.values()].map(
    ({ packages, text }) => `${LINE}\n${[...packages].sort().join(', ')}\n${LINE}\n\n${text}\n`,
  );
  return [
    'Gatehouse is under the Apache License 2.0; see LICENSE. It is shipped with the packages below.',
    '',
    ...lines.sort(),
    '',
    ...chapters.sort(),
  ].join('\n');
}
