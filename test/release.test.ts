// The release in short: the npm package from below node_modules, and what is in the other packages. `npm run test:release` builds and
// installs all of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { manifest } from '../scripts/release/build.ts';
import { debianPackage } from '../scripts/release/debian.ts';
import { isUsed } from '../scripts/release/dependencies.ts';
import { missingImports, toJavaScript } from '../scripts/release/javascript.ts';
import { licenseOf, productionPackages } from '../scripts/release/lock.ts';
import { isAllowed } from '../scripts/release/notices.ts';
import { npmPackage } from '../scripts/release/npm-package.ts';
import { sbom } from '../scripts/release/sbom.ts';
import { gz, tar } from '../scripts/release/tarball.ts';
import { below, type Tree, textFile } from '../scripts/release/tree.ts';
import { useInstalled } from './support/installed.ts';
import { GatehouseProcess, usesProcesses } from './support/process.ts';

const BUILD = { version: '1.2.3-beta.1', time: 1_700_000_000, commit: undefined };
const PASSWORD = 'the administrator of the package';

describe('The npm package', () => {
  let tree: Tree;
  const processes = usesProcesses();
  before(() => {
    tree = npmPackage();
  });

  it('starts from below node_modules, and serves its pages', async () => {
    const folder = await processes.newFolder();
    const place = join(folder, 'node_modules/gatehouse');
    for (const [path, { bytes, mode }] of tree) {
      if (path.startsWith('node_modules/')) continue;
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), bytes, { mode });
    }
    // The dependencies are those of the sources; `npm run test:release` lets npm install them.
    symlinkSync(resolve('node_modules'), join(place, 'node_modules'));
    const settings = { GATEHOUSE_DATA_DIR: join(folder, 'data'), GATEHOUSE_ADMIN_PASSWORD: PASSWORD };
    const service = new GatehouseProcess(['start'], settings, folder, process.execPath, [join(place, 'bin/gatehouse.js')]);
    await useInstalled(service, PASSWORD);
  });

  it('brings nothing with an install script, of which npm would warn', () => {
    const manifest = JSON.parse(tree.get('package.json')!.bytes.toString());
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const wanted = new Set<string>();
    const add = (one: { dependencies?: object; optionalDependencies?: object }, bundled: readonly string[] = []): void => {
      for (const name of Object.keys({ ...one.dependencies, ...one.optionalDependencies }))
        if (!wanted.has(name) && !bundled.includes(name)) {
          wanted.add(name);
          // Also those that are there twice.
          for (const [folder, locked] of Object.entries(packages))
            if (folder.endsWith(`node_modules/${name}`)) add(locked as object);
        }
    };
    add(manifest, manifest.bundleDependencies);
    assert.ok(wanted.size > 100);
    const withScripts = (names: readonly string[]) =>
      names.filter((name) =>
        Object.entries(packages).some(
          ([folder, locked]) =>
            folder.endsWith(`node_modules/${name}`) && (locked as { hasInstallScript?: true }).hasInstallScript,
        ),
      );
    assert.deepEqual(withScripts([...wanted]), []);
    assert.deepEqual(withScripts(['cbor-extract']), ['cbor-extract'], 'this is how they are found');
    for (const [path, { bytes }] of tree)
      if (path.startsWith('node_modules/') && path.endsWith('/package.json')) {
        const { scripts = {}, optionalDependencies } = JSON.parse(bytes.toString());
        for (const one of [scripts.preinstall, scripts.install, scripts.postinstall, optionalDependencies])
          assert.equal(one, undefined, path);
      }
  });

  it('has no tests, no types but those of pages, and nothing for development', () => {
    const paths = [...tree.keys()];
    assert.deepEqual(
      paths.filter((path) => /\.test\.|\.d\.ts$|^(?:test|scripts|bench)\//.test(path)),
      [],
    );
    assert.deepEqual(
      paths.filter((path) => path.endsWith('.ts') && !path.startsWith('console/')),
      [],
    );
    for (const needed of [
      'src/main.js',
      'src/identity/migrations/001-core.sql',
      'src/identity/ground/look/passkeys.js',
      'LICENSE',
    ])
      assert.ok(tree.has(needed), needed);
    assert.ok(paths.some((path) => path.startsWith('src/identity/ground/mail/templates/')));
    const packed = JSON.parse(tree.get('package.json')!.bytes.toString()) as Record<string, unknown>;
    assert.deepEqual(
      ['scripts', 'devDependencies', 'private', 'overrides'].filter((key) => key in packed),
      [],
    );
    // npm leaves out what is not listed.
    const listed = [...(packed.files as string[]), 'package.json', 'README.md', 'LICENSE', 'node_modules'];
    assert.deepEqual(
      paths.filter((path) => !listed.includes(path.split('/')[0]!)),
      [],
    );
  });

  it('brings no compiler, and only licences that may be shipped', () => {
    const packages = [...productionPackages()];
    assert.deepEqual(
      packages.map(([folder]) => folder).filter((folder) => /typescript/.test(folder)),
      [],
    );
    assert.deepEqual(
      packages.filter(([folder, locked]) => !isAllowed(licenseOf(folder, locked))).map(([folder]) => folder),
      [],
    );
    assert.ok(!isAllowed('GPL-3.0') && !isAllowed('MIT AND GPL-3.0') && isAllowed('(MIT OR GPL-3.0)'));
  });
});

describe('JavaScript of the package', () => {
  it('has everything at the line and column of the sources', () => {
    const source =
      "import { a } from './a.ts';\nconst b: number = a as number;\nawait import('../c.ts');\nexport * from './d.ts';\nthrow b;\n";
    const code = toJavaScript(source);
    assert.match(code, /from '\.\/a\.js'[\s\S]*import\('\.\.\/c\.js'\)[\s\S]*from '\.\/d\.js'/);
    assert.equal(code.split('\n').length, source.split('\n').length);
    assert.equal(code.split('\n')[4], 'throw b;');
    assert.match(toJavaScript("new Worker(new URL('./w.ts', import.meta.url));"), /'\.\/w\.js'/);
    assert.match(toJavaScript('const text: string = `a  \nb`;'), /`a {2}\nb`/);
  });

  it('with an import of something that is missing is refused', () => {
    assert.deepEqual(
      missingImports('src/a.js', "import './b.js';\nimport 'pg';", (path) => path === 'src/c.js'),
      ['src/a.js imports src/b.js, which is not in the package'],
    );
  });
});

describe('The other packages', () => {
  const processes = usesProcesses();

  it('leave out what nothing loads, but never a licence', () => {
    for (const unused of ['pg/README.md', 'kysely/dist/index.d.ts', 'ajv/lib/ajv.ts', 'a/index.js.map', '.bin/x', 'b/test/a.js'])
      assert.ok(!isUsed(unused), unused);
    for (const used of ['pg/LICENSE', 'a/LICENSE.md', 'a/package.json', 'a/index.js', 'a/data.json', 'a/lib/latest/x.js'])
      assert.ok(isUsed(used), used);
  });

  it('have the same bytes from the same sources', async () => {
    const tree = new Map([
      ['b', textFile('b')],
      ['a/c', textFile('c', 0o755)],
    ]);
    const again = new Map([...tree].reverse());
    assert.deepEqual(await gz(await tar(tree, BUILD)), await gz(await tar(again, BUILD)));
    assert.equal(sbom(BUILD), sbom(BUILD));
  });

  it('for Debian are what dpkg reads', async () => {
    const folder = await processes.newFolder();
    const contents = {
      program: below('src', new Map([[`${'long/'.repeat(30)}name.js`, textFile('1')]])),
      unit: 'ExecStart=/opt/gatehouse/gatehouse\n',
      command: '#!/bin/sh\n',
      settings: 'A=1\n',
      notices: 'n',
      sbom: '{}',
    };
    const file = join(folder, 'a.deb');
    writeFileSync(file, await debianPackage(BUILD, { node: 'arm64', debian: 'arm64' }, contents));
    const dpkg = (...args: string[]): string => execFileSync('dpkg-deb', args, { encoding: 'utf8' });
    assert.equal(dpkg('--field', file, 'Version', 'Architecture'), 'Version: 1.2.3~beta.1\nArchitecture: arm64\n');
    dpkg('--extract', file, join(folder, 'root'));
    const root = (path: string): string => readFileSync(join(folder, 'root', path), 'utf8');
    assert.equal(root(`usr/lib/gatehouse/src/${'long/'.repeat(30)}name.js`), '1');
    assert.match(root('usr/lib/systemd/system/gatehouse.service'), /ExecStart=\/usr\/lib\/gatehouse\/gatehouse/);
    assert.match(dpkg('--contents', file), /^-rw-r----- root\/root +4 2023-11-14 \d\d:\d\d \.\/etc\/gatehouse\/gatehouse\.env$/m);
  });

  it('list every package with its version and checksum', () => {
    const { components, dependencies } = JSON.parse(sbom(BUILD)) as {
      components: { name: string; version: string; hashes: { content: string }[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    for (const [name, version] of Object.entries(manifest().dependencies))
      assert.ok(
        components.some((one) => name.endsWith(one.name) && one.version === version && one.hashes[0]!.content.length === 128),
        name,
      );
    const refs = new Set(dependencies.map(({ ref }) => ref));
    for (const { ref, dependsOn } of dependencies)
      for (const target of dependsOn) assert.ok(refs.has(target), `${ref} -> ${target}`);
  });
});

describe('The systemd unit', () => {
  it('is hardened', () => {
    const said = execFileSync('systemd-analyze', ['security', '--offline=true', 'packaging/systemd/gatehouse.service'], {
      encoding: 'utf8',
    });
    const [, level] = /Overall exposure level for gatehouse\.service: ([\d.]+)/.exec(said)!;
    assert.ok(Number(level) < 2, said);
  });

  it('gives the service more time to stop than it needs', () => {
    const unit = readFileSync('packaging/systemd/gatehouse.service', 'utf8');
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) >= 15);
    assert.match(unit, /^\[Install\]\nWantedBy=multi-user\.target$/m);
  });
});
