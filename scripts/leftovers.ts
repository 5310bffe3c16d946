// What a test run leaves behind: folders in its own temporary folder, and processes that were started in it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Some end a moment after whoever started them. */
const PATIENCE_MS = 15_000;

const read = (look: () => string): string => {
  try {
    return look();
  } catch {
    // Gone meanwhile, or somebody else's.
    return '';
  }
};

/** Processes that know the folder by their environment, or work in it. */
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

/** Empty where all is tidy. */
export async function leftovers(folder: string, patienceMs = PATIENCE_MS): Promise<string[]> {
  for (const end = Date.now() + patienceMs; contentsOf(folder).length > 0 && Date.now() < end; ) await sleep(100);
  return contentsOf(folder);
}
