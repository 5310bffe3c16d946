// One class for everything that is refused. A table gives each code its status and text; an error format gives it its shape.

export interface FaultEntry {
  readonly status: number;
  /** `{name}` is replaced by the value of that name; the thrower insists on it. */
  readonly text: string;
}

export type FaultTable = Readonly<Record<string, FaultEntry>>;

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;

type FaultArguments<Text extends string> = [Placeholders<Text>] extends [never]
  ? [values?: undefined, extras?: FaultExtras]
  : [values: Record<Placeholders<Text>, string | number>, extras?: FaultExtras];

export interface FaultExtras {
  /** Headers the answer must carry, such as Retry-After or Allow. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** What a machine may read beside the message; merged into the error object. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** The true reason, for the log only. Never a secret. */
  readonly reason?: string;
}

type FaultValues = Readonly<Record<string, string | number>>;

export class Fault extends Error {
  readonly code: string;
  readonly status: number;
  /** What the text was filled with: an error format that wants one of them need not take the text apart. */
  readonly values: FaultValues;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly detail: Readonly<Record<string, unknown>> | undefined;
  readonly reason: string | undefined;
  readonly #entry: FaultEntry;

  constructor(code: string, entry: FaultEntry, values: FaultValues = {}, extras: FaultExtras = {}, cause?: Fault) {
    super(
      entry.text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')),
      cause && { cause },
    );
    this.#entry = entry;
    this.code = code;
    this.status = entry.status;
    this.values = values;
    this.headers = extras.headers ?? {};
    this.detail = extras.detail;
    this.reason = extras.reason;
  }

  /** The same, with more that a machine may read. */
  with(more: Readonly<Record<string, unknown>>): Fault {
    const { headers, reason } = this;
    const extras = { headers, detail: { ...this.detail, ...more }, ...(reason === undefined ? {} : { reason }) };
    return new Fault(this.code, this.#entry, this.values, extras, this);
  }
}

/** Gives a service its `fault` and `fail`: codes are the keys of its table, so a missing entry does not compile. */
export function faultsOf<const T extends FaultTable>(table: T) {
  function fault<C extends keyof T & string>(code: C, ...[values, extras]: FaultArguments<T[C]['text']>): Fault {
    return new Fault(code, table[code] as FaultEntry, values, extras);
  }
  function fail<C extends keyof T & string>(code: C, ...rest: FaultArguments<T[C]['text']>): never {
    throw fault(code, ...rest);
  }
  return { fault, fail };
}
