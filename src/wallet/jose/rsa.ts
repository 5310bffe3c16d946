// RSA keys are made in a thread of their own: see rsa-worker.ts.
import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** A thread costs some megabytes, and is begun in a moment. */
const IDLE_MS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | undefined;

function beginWorker(): Worker {
  const worker = new Worker(new URL('./rsa-worker.ts', import.meta.url), { resourceLimits: LIMITS, execArgv: [] });
  // One that dies while nobody waits for it is replaced by the next; it must not end the process.
  worker.on('error', () => {});
  worker.once('exit', () => {
    if (idle?.worker === worker) idle = undefined;
  });
  return worker;
}

function takeWorker(): Worker {
  const found = idle;
  idle = undefined;
  if (!found) return beginWorker();
  clearTimeout(found.timer);
  found.worker.ref();
  return found.worker;
}

/** Kept for a while for the next one, without keeping the process. */
function keepWorker(worker: Worker): void {
  if (idle) return void worker.terminate();
  worker.unref();
  const timer = setTimeout(() => {
    idle = undefined;
    void worker.terminate();
  }, IDLE_MS);
  timer.unref();
  idle = { worker, timer };
}

export function generateRsa(bits: number): Promise<KeyObject> {
  const worker = takeWorker();
  const { promise, resolve, reject } = Promise.withResolvers<KeyObject>();
  const onMessage = (key: KeyObject): void => {
    forget();
    keepWorker(worker);
    resolve(key);
  };
  const onError = (error: Error): void => {
    forget();
    reject(error);
  };
  const onExit = (code: number): void => onError(new Error(`the thread that makes keys ended with ${code}`));
  const forget = (): void => void worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  worker.postMessage(bits);
  return promise;
}
