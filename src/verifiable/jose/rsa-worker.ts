// A thread that generates RSA keys. The call is synchronous on purpose: it blocks this thread, not libuv's pool, which hashes passwords.
import { generateKeyPairSync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

const LESS = 5;
const LEAST = 19;

// Other work has priority. On Linux this applies to this thread only; elsewhere it would apply to the whole process.
// The priority is lowered from the current one, because only root may raise it.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + LESS, LEAST));

parentPort!.on('message', (modulusLength: number) => {
  parentPort!.postMessage(generateKeyPairSync('rsa', { modulusLength }).privateKey);
});
