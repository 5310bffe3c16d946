// What is in the release, for scanners: CycloneDX 1.6. Made from the lock file, so that it is the same everywhere.
import { createHash } from 'node:crypto';
import { type Build, manifest } from './build.ts';
import { type LockedPackage, licenseOf, nameOf, productionPackages } from './lock.ts';

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** An SPDX identifier, or an expression such as (MIT OR Apache-2.0). */
const licensesOf = (license: string): object[] =>
  /[\s(]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];

function hashesOf(integrity: string): object[] {
  const [algorithm, digest] = integrity.split(' ')[0]!.split(/-(.*)/s);
  return [{ alg: algorithm === 'sha512' ? 'SHA-512' : 'SHA-1', content: Buffer.from(digest!, 'base64').toString('hex') }];
}

/** The folder that an import from another folder leads to: in its own node_modules, or in one above. */
function resolveFrom(packages: ReadonlyMap<string, LockedPackage>, folder: string, name: string): string | undefined {
  const parts = folder === '' ? [] : folder.split(/(?:^|\/)node_modules\//).slice(1);
  for (let count = parts.length; count >= 0; count--) {
    const place = [...parts.slice(0, count), name].map((part) => `node_modules/${part}`).join('/');
    if (packages.has(place)) return place;
  }
  return undefined;
}

/** A number that is the same for the same content, in the form of a UUID. */
function serialOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function sbom({ version, time, commit }: Build): string {
  const { name, description, license, dependencies, optionalDependencies } = manifest();
  const packages = productionPackages();
  const refOf = (folder: string): string => {
    const found = packages.get(folder)!;
    return purlOf(nameOf(folder, found), found.version);
  };
  const own = purlOf(name, version);
  const components = new Map<string, object>();
  const edges = new Map<string, Set<string>>();
  const connect = (ref: string, folder: string, names: readonly string[]): void => {
    const targets = edges.get(ref) ?? new Set<string>();
    for (const wanted of names) {
      const found = resolveFrom(packages, folder, wanted);
      if (found) targets.add(refOf(found));
    }
    edges.set(ref, targets);
  };
  connect(own, '', Object.keys({ ...dependencies, ...optionalDependencies }));
  for (const [folder, locked] of packages) {
    const ref = refOf(folder);
    const fullName = nameOf(folder, locked);
    const [group, short] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName];
    components.set(ref, {
      type: /^node-linux-/.test(fullName) ? 'platform' : 'library',
      'bom-ref': ref,
      ...(group ? { group } : {}),
      name: short,
      version: locked.version,
      scope: locked.optional ? 'optional' : 'required',
      hashes: hashesOf(locked.integrity),
      licenses: licensesOf(licenseOf(folder, locked)),
      purl: ref,
    });
    connect(ref, folder, Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }));
  }
  const body = {
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': own,
        name,
        version,
        description,
        licenses: licensesOf(license),
        purl: own,
        ...(commit ? { properties: [{ name: 'git:commit', value: commit }] } : {}),
      },
    },
    components: [...components].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, component]) => component),
    dependencies: [...edges]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([ref, targets]) => ({ ref, dependsOn: [...targets].sort() })),
  };
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(JSON.stringify(body)), version: 1 };
  return `${JSON.stringify({ ...head, ...body }, null, 2)}\n`;
}
