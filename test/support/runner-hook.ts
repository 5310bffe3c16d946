// The test runner follows every promise of a process, to know the suite in which a test is defined and the test that a stray error
// belongs to. In a process with many files that takes a tenth of the time. It is needed while suites are defined; stray errors fail the
// process as well, without the name of a test.
import { type AsyncHook, createHook } from 'node:async_hooks';
import { flushCompileCache } from 'node:module';

const enabled: AsyncHook[] = [];
const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook;
const { enable } = prototype;
prototype.enable = function (this: AsyncHook) {
  enabled.push(this);
  return enable.call(this);
};

/** After all files of the process were imported. What was compiled is kept for the processes that begin before this one ends. */
export function stopFollowing(): void {
  prototype.enable = enable;
  for (const hook of enabled) hook.disable();
  flushCompileCache();
}
