// Work that would block the event loop, in a thread of its own.
import { Worker } from 'node:worker_threads';

/** A thread costs some megabytes and starts quickly, so it does not stay idle for long. */
const IDLE_MS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/**
 * Calls a file that answers each message with one. Calls at the same time have a thread each; one thread is kept for the next call for a
 * while, without keeping the process alive.
 */
export function threadOf<Call, Answer>(file: URL): (call: Call) => Promise<Answer> {
  let idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | undefined;

  function begin(): Worker {
    const worker = new Worker(file, { resourceLimits: LIMITS, execArgv: [] });
    // An idle worker that dies must not end the process. The next call starts a new one.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (idle?.worker === worker) idle = undefined;
    });
    return worker;
  }

  function take(): Worker {
    const found = idle;
    idle = undefined;
    if (!found) return begin();
    clearTimeout(found.timer);
    found.worker.ref();
    return found.worker;
  }

  function keep(worker: Worker): void {
    if (idle) return void worker.terminate();
    worker.unref();
    const timer = setTimeout(() => {
      idle = undefined;
      void worker.terminate();
    }, IDLE_MS);
    timer.unref();
    idle = { worker, timer };
  }

  return (call) => {
    const worker = take();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onMessage = (answer: Answer): void => {
      forget();
      keep(worker);
      resolve(answer);
    };
    const onError = (error: Error): void => {
      forget();
      reject(error);
    };
    const onExit = (code: number): void =>
      onError(new Error(`the thread of ${file.pathname.split('/').at(-1)} ended with ${code}`));
    const forget = (): void => void worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(call);
    return promise;
  };
}
