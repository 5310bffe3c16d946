// Calls back when nobody has used the page for a time. Other tabs of the same page count as use.

const KEY = 'gatehouse:used';
/** Use is noted this often at most. */
const STEP_MS = 5000;

export function onIdle(seconds: number, whenIdle: () => void): void {
  let used = Date.now();
  const channel = new BroadcastChannel(KEY);
  const isOver = (): boolean => used + seconds * 1000 <= Date.now();
  const note = (): void => {
    // After the computer slept, somebody may touch the page before the timer runs.
    if (isOver()) {
      whenIdle();
      return;
    }
    const now = Date.now();
    if (now - used < STEP_MS) return;
    used = now;
    channel.postMessage(now);
  };
  channel.addEventListener('message', ({ data }) => {
    if (typeof data === 'number') used = Math.max(used, Math.min(data, Date.now()));
  });
  for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart']) window.addEventListener(event, note, { passive: true });
  const check = (): void => {
    const left = used + seconds * 1000 - Date.now();
    // Timers of a background tab may be late; they are checked again when it is shown.
    if (left <= 0) whenIdle();
    else setTimeout(check, Math.min(left, 60_000));
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && isOver()) whenIdle();
  });
  check();
}
