// Runs another program in the place of this process (execve), which keeps its id, its parent and its open standard streams. Plain
// JavaScript, because the launcher runs on any Node version.
import { createRequire } from 'node:module';

/** Of fcntl: the flags of a descriptor; none of them: it stays open in the other program. */
const F_SETFD = 2;
const NONE = 0;

/** Node has no execve before 22.15. There koffi calls that of the C library: it comes with the other Node. */
function replaceByLibrary(program, words, environment) {
  const koffi = createRequire(import.meta.url)(`@koromix/koffi-${process.platform}-${process.arch}`);
  // What is loaded in this process already, so with the C library that Node has.
  const library = koffi.load(null);
  const fcntl = library.func('int fcntl(int descriptor, int command, ...)');
  for (const descriptor of [0, 1, 2]) fcntl(descriptor, F_SETFD, 'int', NONE);
  const execve = library.func('int execve(const char *program, const char **words, const char **variables)');
  execve(program, [...words, null], [...Object.entries(environment).map(([name, value]) => `${name}=${value}`), null]);
}

/** Returns only if that cannot be done here. */
export function replaceProcess(program, words, environment) {
  if (process.execve) process.execve(program, words, environment);
  try {
    replaceByLibrary(program, words, environment);
  } catch {
    // The package is not there, or is for another C library.
  }
}
