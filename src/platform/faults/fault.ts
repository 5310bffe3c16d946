// One class for all refusals. A table defines the status and text of each code; an error format defines the JSON.

export interface FaultEntry {
  readonly status: number;
  /** `{name}` is replaced by the value of that name. The types require every value. */
  readonly text: string;
}

export type FaultTable = Readonly<Record<string, FaultEntry>>;

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;

type FaultArguments<Text extends string> = [Placeholders<Text>] extends [never]
  ? [values?: undefined, extras?: FaultExtras]
  : [values: Record<Placeholders<Text>, string | number>, extras?: FaultExtras];

export interface FaultExtras {
  /** Headers of the answer, such as Retry-After or Allow. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Machine-readable fields, merged into the error object. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** The exact reason, only for the log. Never a secret. */
  readonly reason?: string;
}

type FaultValues = Readonly<Record<string, string | number>>;

export class Fault extends Error {
  readonly code: string;
  readonly status: number;
  /** The values in the text, for error formats that use them by name. */
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

  /** The same fault with more machine-readable fields. */
  with(more: Readonly<Record<string, unknown>>): Fault {
    const { headers, reason } = this;
    const extras = { headers, detail: { ...this.detail, ...more }, ...(reason === undefined ? {} : { reason }) };
    return new Fault(this.code, this.#entry, this.values, extras, this);
  }
}

/** Creates `fault` and `fail` for a service. Codes are the keys of its table, so an unknown code does not compile. */
export function faultsOf<const T extends FaultTable>(table: T) {
  function fault<C extends keyof T & string>(code: C, ...[values, extras]: FaultArguments<T[C]['text']>): Fault {
    return new Fault(code, table[code] as FaultEntry, values, extras);
  }
  function fail<C extends keyof T & string>(code: C, ...rest: FaultArguments<T[C]['text']>): never {
    throw fault(code, ...rest);
  }
  return { fault, fail };
}
