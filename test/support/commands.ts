// Other people's programs that tests compare with. Debian has them; as root they are installed on the spot, else the test says how.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

export function needsCommand(command: string, debianPackage = command): void {
  if (has(command)) return;
  const install = `apt-get update && apt-get install -y --no-install-recommends ${debianPackage}`;
  if (process.getuid?.() === 0) {
    // Test files run at the same time, and apt does not share.
    const lock = join(tmpdir(), 'gatehouse-test-apt.lock');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('flock', [lock, 'sh', '-c', `command -v ${command} || (${install})`], { env, stdio: 'ignore' });
  }
  if (!has(command)) throw new Error(`${command} is needed for this test; install it with: ${install}`);
}
