// A real disk of a few megabytes: a file with a file system in it, mounted by root. It can be filled, and it can fail so that the kernel
// makes it read-only, as it does with a broken disk.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();
const BLOCK = Buffer.alloc(65_536);

/** Why there can be no such disk here; undefined if there can. */
export function whyNoDisk(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can mount a disk';
  try {
    run('mkfs.ext4', '-V');
  } catch {
    return 'mkfs.ext4 is not installed (e2fsprogs)';
  }
  try {
    run('losetup', '-f');
  } catch {
    return 'this machine gives no loop devices';
  }
  return undefined;
}

export class SmallDisk {
  readonly folder: string;
  readonly #image: string;
  #device = '';

  constructor(inFolder: string, megabytes: number) {
    this.folder = join(inFolder, 'disk');
    this.#image = join(inFolder, 'disk.image');
    mkdirSync(this.folder);
    run('truncate', '-s', `${megabytes}M`, this.#image);
    run('mkfs.ext4', '-q', '-m', '0', this.#image);
    this.#mount();
  }

  #mount(): void {
    this.#device = run('losetup', '-f', '--show', this.#image).trim();
    run('mount', '-o', 'errors=remount-ro', this.#device, this.folder);
  }

  #unmount(): void {
    run('umount', this.folder);
    run('losetup', '-d', this.#device);
  }

  /** Until not one more byte can be stored. */
  fill(): void {
    const file = openSync(join(this.folder, 'filler'), 'a');
    try {
      for (let size = BLOCK.length; size > 0; )
        try {
          writeSync(file, BLOCK, 0, size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size = Math.floor(size / 16);
        }
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(join(this.folder, 'filler'), { force: true });
  }

  /** The kernel finds an error, and allows no more writing. */
  fail(): void {
    writeFileSync(`/sys/fs/ext4/${basename(this.#device)}/trigger_fs_error`, '1');
    const { folder } = this;
    const line = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((one) => one.includes(` ${folder} `));
    // Newer kernels leave the first option as it was.
    if (!/ ro,|emergency_ro/.test(line ?? '')) throw new Error(`the disk is not read-only: ${line}`);
  }

  /** What an operator does: check it, and mount it again. Nothing may use it meanwhile. */
  repair(): void {
    this.#unmount();
    try {
      run('e2fsck', '-f', '-y', this.#image);
    } catch (error) {
      // 1: errors were corrected.
      if ((error as { status?: number }).status !== 1) throw error;
    }
    this.#mount();
  }

  remove(): void {
    this.#unmount();
  }
}
