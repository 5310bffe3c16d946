// A reporter of Node's test runner, in the process of the tests: passes events on to the worker, and prints nothing.
// biome-ignore lint/correctness/useYield: a reporter is a generator
export default async function* listener(events) {
  for await (const event of events) globalThis.__mutantEvents?.(event);
}
