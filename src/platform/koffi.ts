// koffi calls functions of C libraries. It is loaded when the first is called.

/** koffi runs each function on its own stack. Its default of 128 kB is too small for some vendors' libraries. */
const STACK_BYTES = 1024 * 1024;

/** What is used of koffi. Its packages for single platforms have no types. */
export interface LibraryHandle {
  func(name: string, result: string, parameters: readonly string[]): (...args: readonly unknown[]) => unknown;
}
export interface Koffi {
  config(options: { readonly async_stack_size: number }): void;
  /** Null: what is loaded in this process already. */
  load(path: string | null, options?: { readonly deep: boolean }): LibraryHandle;
  sizeof(type: string): number;
  proto(result: string, parameters: readonly string[]): object;
  decode(from: bigint, type: string | object): unknown;
  address(value: Buffer): bigint;
}

/** The package for this platform alone: that for all of them has a script which runs when it is installed. */
export const KOFFI = `@koromix/koffi-${process.platform}-${process.arch}`;

async function importKoffi(): Promise<Koffi> {
  const { default: koffi } = (await import(KOFFI)) as { default: Koffi };
  koffi.config({ async_stack_size: STACK_BYTES });
  return koffi;
}
// Only once, because koffi takes no settings after the first library is loaded.
let ready: Promise<Koffi> | undefined;

/** Throws if the package is not installed. */
export function loadKoffi(): Promise<Koffi> {
  ready ??= importKoffi();
  return ready;
}
