// `npm run release`: builds everything that can be installed, into dist/. The same commit gives the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Build, currentBuild, MACHINES, type Machine, ROOT, uncommitted } from './build.ts';
import { debianPackage } from './debian.ts';
import { type Dependencies, dependenciesOf, installDependencies } from './dependencies.ts';
import { notices } from './notices.ts';
import { npmPackage } from './npm-package.ts';
import { sbom } from './sbom.ts';
import { gz, tar } from './tarball.ts';
import { below, merge, readTree, type Tree, type TreeFile, textFile } from './tree.ts';

const USAGE = 'npm run release -- [--out FOLDER] [--machine x64|arm64]';

const packaging = (name: string): string => readFileSync(join(ROOT, 'packaging', name), 'utf8');

/** Examples for the operator: proxies, units, dashboards. Not what is for building only. */
const EXAMPLES = /^(?:proxies|systemd|monitoring)\/(?!.*(?:\.test\.ts|README\.md)$)/;

/** The program with its runtime and dependencies, as it is below /usr/lib/gatehouse and in the archive. */
function program(own: Tree, { modules, runtime }: Dependencies): Tree {
  return merge(
    own,
    below('node_modules', modules),
    new Map<string, TreeFile>([
      ['gatehouse', textFile(packaging('archive/gatehouse.sh'), 0o755)],
      ['runtime/node', runtime],
      ['share/health.js', textFile(packaging('container/health.js'))],
      ['share/gatehouse.env', textFile(packaging('archive/gatehouse.env'))],
      ['share/gatehouse-as-service', textFile(packaging('archive/gatehouse-as-service.sh'), 0o755)],
    ]),
    below(
      'share',
      readTree(join(ROOT, 'packaging'), (path) => EXAMPLES.test(path)),
    ),
  );
}

/** The chart names the image by its version. */
function chart(version: string): Tree {
  const tree = readTree(join(ROOT, 'packaging/helm/gatehouse'));
  const about = tree.get('Chart.yaml')!.bytes.toString();
  for (const line of [`version: ${version}`, `appVersion: "${version}"`])
    if (!about.split('\n').includes(line)) throw new Error(`packaging/helm/gatehouse/Chart.yaml must have the line ${line}`);
  return tree;
}

interface Texts {
  readonly notices: string;
  readonly sbom: string;
}

async function archive(build: Build, machine: Machine, contents: Tree, texts: Texts): Promise<[string, Buffer]> {
  const name = `gatehouse-${build.version}-linux-${machine.node}`;
  const tree = merge(
    contents,
    new Map([
      ['THIRD-PARTY-NOTICES.txt', textFile(texts.notices)],
      ['sbom.cdx.json', textFile(texts.sbom)],
    ]),
  );
  return [`${name}.tar.gz`, await gz(await tar(below(name, tree), build))];
}

async function build(out: string, machines: readonly Machine[]): Promise<void> {
  const release = currentBuild();
  const work = join(out, '.work');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const sums: string[] = [];
  const write = (name: string, bytes: Buffer | string): void => {
    writeFileSync(join(out, name), bytes);
    const size = (Buffer.byteLength(bytes) / 1e6).toFixed(1);
    console.log(`${size.padStart(6)} MB  ${name}`);
    sums.push(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  };
  const own = npmPackage();
  write(`gatehouse-${release.version}.tgz`, await gz(await tar(below('package', own), release)));
  const texts = { sbom: sbom(release), notices: notices(MACHINES.map((machine) => installDependencies(work, machine))) };
  // What it needs is installed already: neither its lock nor what it brings is needed.
  const runnable = new Map([...own].filter(([path]) => path !== 'npm-shrinkwrap.json' && !path.startsWith('node_modules/')));
  for (const machine of machines) {
    const contents = program(runnable, dependenciesOf(work, machine));
    write(...(await archive(release, machine, contents, texts)));
    const deb = await debianPackage(release, machine, {
      program: contents,
      unit: packaging('systemd/gatehouse.service'),
      command: packaging('archive/gatehouse-as-service.sh'),
      settings: packaging('archive/gatehouse.env'),
      ...texts,
    });
    write(`gatehouse_${release.version}_${machine.debian}.deb`, deb);
  }
  write('sbom.cdx.json', texts.sbom);
  write('THIRD-PARTY-NOTICES.txt', texts.notices);
  write(`gatehouse-${release.version}-helm.tgz`, await gz(await tar(below('gatehouse', chart(release.version)), release)));
  writeFileSync(join(out, 'SHA256SUMS'), sums.sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1)).join(''));
  rmSync(work, { recursive: true });
}

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' }, machine: { type: 'string' } } });
const machines = MACHINES.filter(({ node }) => values.machine === undefined || node === values.machine);
if (machines.length === 0) {
  console.error(`no such machine: ${values.machine}\n${USAGE}`);
  process.exit(2);
}
const changes = uncommitted();
if (changes.length > 0) console.error(`not in a commit, so nobody can build this release again:\n${changes.join('\n')}`);
await build(resolve(values.out), machines);
