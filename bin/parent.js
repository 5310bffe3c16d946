// Whether whoever started this process is still there. Plain JavaScript on purpose: the launcher reads it on whatever Node the machine has.

const LOOK_MS = 1000;

/** npm passes signals on, but not the one that kills it. Only under npm: a shell may leave what it started in the background. */
export function onEndOfNpm(end) {
  const { npm_lifecycle_event: script } = process.env;
  if (script !== 'start' && script !== 'npx') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_MS);
  timer.unref();
}
