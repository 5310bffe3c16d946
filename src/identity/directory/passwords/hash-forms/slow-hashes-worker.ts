// A thread that computes what Node has not built in: bcrypt, and crypt(3) with SHA-2.
import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import { shaCrypt } from './sha-crypt.ts';
import type { SlowHash } from './slow-hashes.ts';

parentPort!.on('message', (call: SlowHash) => {
  parentPort!.postMessage(
    call.algorithm === 'bcrypt'
      ? hashSync(call.password, call.salt)
      : shaCrypt(call.algorithm, call.password, call.salt, call.rounds),
  );
});
