// A thread that makes RSA keys. The call is synchronous on purpose: it takes this thread, and none of the few that hash passwords.
import { generateKeyPairSync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

const LESS = 5;
const LEAST = 19;

// Whoever waits for anything else goes first. On Linux this is about this thread alone; elsewhere it would be the whole process.
// Down from where it is: a process may have been given little, and only root may take more.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + LESS, LEAST));

parentPort!.on('message', (modulusLength: number) => {
  parentPort!.postMessage(generateKeyPairSync('rsa', { modulusLength }).privateKey);
});
