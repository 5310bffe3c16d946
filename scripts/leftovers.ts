// Finds what a test run left behind: files in its temporary folder, and processes started in it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Some processes end a moment after their parent. */
const PATIENCE_MS = 15_000;

const read = (look: () => string): string => {
  try {
    return look();
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
};

/** Processes with the folder in their environment or as their working directory. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((id) => {
      const environment = read(() => readFileSync(`/proc/${id}/environ`, 'utf8')).split('\0');
      return environment.includes(`TMPDIR=${folder}`) || read(() => readlinkSync(`/proc/${id}/cwd`)).startsWith(folder);
    })
    .map(
      (id) =>
        `process ${id}: ${read(() => readFileSync(`/proc/${id}/cmdline`, 'utf8'))
          .replaceAll('\0', ' ')
          .slice(0, 200)}`,
    );
}

const contentsOf = (folder: string): string[] => [
  ...processesOf(folder),
  ...readdirSync(folder).map((name) => `folder or file: ${name}`),
];

/** Empty if nothing was left behind. */
export async function leftovers(folder: string, patienceMs = PATIENCE_MS): Promise<string[]> {
  for (const end = Date.now() + patienceMs; contentsOf(folder).length > 0 && Date.now() < end; ) await sleep(100);
  return contentsOf(folder);
}
