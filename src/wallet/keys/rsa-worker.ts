// A thread that makes RSA keys. The call is synchronous on purpose: it takes this thread, and none of the few that hash passwords.
import { generateKeyPairSync } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

// Whoever waits for anything else goes first. On Linux this is about this thread alone; elsewhere it would be the whole process.
if (process.platform === 'linux') setPriority(5);

parentPort!.on('message', (modulusLength: number) => {
  parentPort!.postMessage(generateKeyPairSync('rsa', { modulusLength }).privateKey);
});
