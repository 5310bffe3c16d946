// Detects the end of the parent process. Plain JavaScript, because the launcher runs on any Node version.

const LOOK_MS = 1000;

/** npm forwards signals, but not when it is killed itself. Only under npm: a shell may leave processes in the background on purpose. */
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
