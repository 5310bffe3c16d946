// Generates RSA keys in a separate thread: see rsa-worker.ts.
import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** A thread costs some megabytes and starts quickly, so it does not stay idle for long. */
const IDLE_MS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | undefined;

function beginWorker(): Worker {
  const worker = new Worker(new URL('./rsa-worker.ts', import.meta.url), { resourceLimits: LIMITS, execArgv: [] });
  // An idle worker that dies must not end the process. The next call starts a new one.
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

/** Keeps the worker for the next call for a while, without keeping the process alive. */
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
