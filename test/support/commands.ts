// Other people's programs that tests compare with. Debian has them; as root they are installed on the spot, else the test says how.
import { spawnSync } from 'node:child_process';

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

export function needsCommand(command: string, debianPackage = command): void {
  if (has(command)) return;
  const install = `apt-get update && apt-get install -y --no-install-recommends ${debianPackage}`;
  if (process.getuid?.() === 0)
    spawnSync('sh', ['-c', install], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'ignore' });
  if (!has(command)) throw new Error(`${command} is needed for this test; install it with: ${install}`);
}
