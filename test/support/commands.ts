// External programs that tests use. `npm test` checks for all of them before the first test (scripts/needs.ts).
import { spawnSync } from 'node:child_process';

/** For a test file that is run alone. */
export function needsCommand(command: string, debianPackage = command): void {
  if (spawnSync('sh', ['-c', 'command -v "$0"', command]).status !== 0)
    throw new Error(
      `${command} is needed for this test; install it with: apt-get install --no-install-recommends ${debianPackage}`,
    );
}
