// A package that only few requests need is loaded when the first of them comes: each of its files costs time and memory at a start.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** For code that cannot wait for import(). The package must be one that require() finds, so that it is loaded once. */
export function loadLater<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}
