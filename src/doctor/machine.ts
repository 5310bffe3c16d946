// This machine: its clock and its disks.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Machine } from './finding.ts';

const run = promisify(execFile);
const TOOL_MS = 3_000;
/** systemd-timesyncd touches it after each answer of a time server. */
const TIMESYNC_FILE = '/run/systemd/timesync/synchronized';

/** Undefined if the program is missing or does not know. */
async function output(program: string, ...args: string[]): Promise<string | undefined> {
  try {
    return (await run(program, args, { timeout: TOOL_MS })).stdout.trim();
  } catch {
    return undefined;
  }
}

export const thisMachine: Machine = {
  now: () => Date.now(),
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
  async isClockSynchronized() {
    const said = await output('timedatectl', 'show', '--property=NTPSynchronized', '--value');
    if (said === 'yes' || said === 'no') return said === 'yes';
    const leap = (await output('chronyc', '-c', 'tracking'))?.split(',').at(-1);
    if (leap !== undefined) return leap !== 'Not synchronised';
    return existsSync(TIMESYNC_FILE) ? true : undefined;
  },
};
