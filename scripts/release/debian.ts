// The Debian package. Written here instead of by dpkg-deb, so that it can be built on any machine, and always gives the same bytes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Build, Machine } from './build.ts';
import { manifest, ROOT } from './build.ts';
import { gz, tar } from './tarball.ts';
import { merge, sizeOf, type Tree, type TreeFile, textFile } from './tree.ts';

const PACKAGING = join(ROOT, 'packaging/debian');
/** Units and scripts have the folder of the archive. */
const here = (text: string): string => text.replaceAll('/opt/gatehouse', '/usr/lib/gatehouse');
const SCRIPTS = ['postinst', 'prerm', 'postrm'];

/** The archive format of Unix: a header of 60 characters before each file. */
export function ar(files: readonly [string, Buffer][], time: number): Buffer {
  const parts: Buffer[] = [Buffer.from('!<arch>\n')];
  for (const [name, bytes] of files) {
    const fields = [
      name.padEnd(16),
      String(time).padEnd(12),
      '0'.padEnd(6),
      '0'.padEnd(6),
      '100644'.padEnd(8),
      String(bytes.length).padEnd(10),
    ];
    parts.push(Buffer.from(`${fields.join('')}\`\n`), bytes);
    if (bytes.length % 2) parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

/** Debian orders versions so that `~` comes before the end: 0.2.0~beta.1 is before 0.2.0. */
export const debianVersion = (version: string): string => version.replace('-', '~');

function control({ version }: Build, machine: Machine, installedSize: number): string {
  const { description } = manifest();
  const template = readFileSync(join(PACKAGING, 'control'), 'utf8');
  const values: Record<string, string> = {
    version: debianVersion(version),
    architecture: machine.debian,
    'installed-size': String(Math.ceil(installedSize / 1024)),
    description: description.split(':')[0]!,
  };
  return template.replace(/@([a-z-]+)@/g, (_, name: string) => values[name]!);
}

/** An entry for the version; what changed is in CHANGELOG.md, beside it. */
function changelog({ version, time }: Build): string {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000');
  return `gatehouse (${debianVersion(version)}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- The Gatehouse developers <gatehouse@localhost>  ${date}\n`;
}

export interface DebianContents {
  /** Everything below usr/lib/gatehouse. */
  readonly program: Tree;
  readonly unit: string;
  readonly command: string;
  readonly settings: string;
  readonly notices: string;
  readonly sbom: string;
}

export async function debianPackage(build: Build, machine: Machine, contents: DebianContents): Promise<Buffer> {
  const doc = 'usr/share/doc/gatehouse';
  const read = (name: string): string => readFileSync(join(PACKAGING, name), 'utf8');
  const files = merge(
    new Map([...contents.program].map(([path, file]): [string, TreeFile] => [`usr/lib/gatehouse/${path}`, file])),
    new Map<string, TreeFile>([
      ['usr/bin/gatehouse', textFile(here(contents.command), 0o755)],
      ['usr/lib/systemd/system/gatehouse.service', textFile(here(contents.unit))],
      // Owner and rights are set by postinst, because the group is not known before.
      ['etc/gatehouse/gatehouse.env', textFile(contents.settings, 0o640)],
      [`${doc}/copyright`, textFile(read('copyright'))],
      [`${doc}/changelog.gz`, { bytes: await gz(Buffer.from(changelog(build))), mode: 0o644 }],
      [`${doc}/THIRD-PARTY-NOTICES.gz`, { bytes: await gz(Buffer.from(contents.notices)), mode: 0o644 }],
      [`${doc}/sbom.cdx.json`, textFile(contents.sbom)],
    ]),
  );
  const md5sums = [...files]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .filter(([path]) => !path.startsWith('etc/'))
    .map(([path, { bytes }]) => `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`)
    .join('');
  const about = merge(
    new Map([
      ['control', textFile(control(build, machine, sizeOf(files)))],
      ['conffiles', textFile('/etc/gatehouse/gatehouse.env\n')],
      ['md5sums', textFile(md5sums)],
    ]),
    new Map(SCRIPTS.map((name) => [name, textFile(read(name), 0o755)])),
  );
  const options = { time: build.time, prefix: './' };
  const folders = new Map([['etc/gatehouse', 0o750]]);
  return ar(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', await gz(await tar(about, options))],
      ['data.tar.gz', await gz(await tar(files, { ...options, folders }))],
    ],
    build.time,
  );
}
