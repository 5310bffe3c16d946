// Values for requests: valid ones by the schema, and every kind of invalid one.
import type { Random } from './random.ts';

export type JsonSchema = Readonly<Record<string, any>>;

/** A usual value for a field of this name; undefined if unknown. */
export type UsualValues = (name: string) => string | undefined;

const LONG = 'long '.repeat(2000);

export const NASTY: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202eevil',
  'zero\u200bwidth',
  '\u0130\u0131ß',
  '𝕏🏳️‍🌈',
  'e\u0301',
  '\ufeffmark',
  '\r\nX-Injected: 1',
  "' or '1'='1' --",
  '%',
  '%s%n',
  '_%\\',
  '../../etc/passwd',
  '..%2f..',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e309',
  '9007199254740993',
  '0x10',
  '2026-13-45T25:61:61Z',
  '0000-00-00T00:00:00.000000Z',
  '+275760-09-13T00:00:00Z',
  '<script>alert(1)</script>',
  '{{7*7}}',
  'javascript:alert(1)',
  'http://[::1',
  'did:web:127.0.0.1%3A1',
  'userName eq "a" and (',
  '"',
  '\\',
  '[]',
  LONG,
];

const WRONG: readonly unknown[] = [null, true, 0, -1, 1.5, 1e300, '', [], {}, [[]], { a: { b: [null] } }, 'text', ['text', 7]];

export class ValueGenerator {
  readonly #random: Random;
  readonly #words: UsualValues;
  /** How often a value violates the schema. */
  readonly wildness: number;

  constructor(random: Random, words: UsualValues, wildness: number) {
    this.#random = random;
    this.#words = words;
    this.wildness = wildness;
  }

  text(name: string): string {
    const random = this.#random;
    if (random.chance(this.wildness)) return random.pick(NASTY);
    return this.#words(name) ?? random.pick(['word', 'zwei Wörter', 'x', '42', 'true', `made-${random.below(1e9)}`]);
  }

  /** A value for this schema; now and then an invalid one. */
  of(schema: JsonSchema, name = '', depth = 0): unknown {
    const random = this.#random;
    if (random.chance(this.wildness / 3)) return random.pick(WRONG);
    const options = schema.anyOf ?? schema.oneOf;
    if (options)
      return this.of({ ...schema, anyOf: undefined, oneOf: undefined, ...random.pick(options as JsonSchema[]) }, name, depth);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum && !random.chance(this.wildness)) return random.pick(schema.enum);
    const type = Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type;
    switch (type ?? (schema.properties ? 'object' : 'any')) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return random.chance(this.wildness) ? random.pick([-1, 2 ** 53, 1e300, 0.5]) : (schema.minimum ?? 0) + random.below(100);
      case 'array':
        return Array.from({ length: random.below(4) }, () => this.of(schema.items ?? {}, name, depth + 1));
      case 'object':
        return this.#object(schema, depth);
      case 'string':
        return this.text(name);
      default:
        return depth > 3 ? this.text(name) : random.pick([this.text(name), true, 3, [this.text(name)], { [this.text('')]: 1 }]);
    }
  }

  #object(schema: JsonSchema, depth: number): Record<string, unknown> {
    const random = this.#random;
    const required = (schema.required ?? []) as string[];
    const optional = random.pick([0, 0.1, 0.5]);
    const made: [string, unknown][] = [];
    for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
      const wanted = required.includes(name) ? !random.chance(this.wildness / 3) : depth < 5 && random.chance(optional);
      if (wanted) made.push([name, this.of(property, name, depth + 1)]);
    }
    if (random.chance(this.wildness / 2)) made.push([random.pick([...NASTY, 'unexpected']), random.pick(WRONG)]);
    return Object.fromEntries(made);
  }
}

/** JSON text; sometimes text that no JSON library would write. */
export function bodyText(random: Random, value: unknown, wildness: number): Buffer {
  const text = JSON.stringify(value);
  if (!random.chance(wildness / 2)) return Buffer.from(text);
  return random.pick<() => Buffer>([
    () => Buffer.alloc(0),
    () => Buffer.from(text.slice(0, -1)),
    () => Buffer.from(`${text}${text}`),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), random.bytes(3)]),
    () => Buffer.from(`${'['.repeat(5000)}${']'.repeat(5000)}`),
    () => Buffer.from(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`),
    () => Buffer.from('{"__proto__": {"admin": true}, "constructor": 1}'),
    () => Buffer.from(`{"a": 1, "a": 2, ${text.slice(1)}`),
    () => Buffer.from(`{"a": ${'9'.repeat(400)}}`),
    () => Buffer.from(random.pick(['null', 'true', '7', '"text"', '[]', '[1]', '{', '\u0000', 'a=b&c=d'])),
    () => random.bytes(40),
    () => Buffer.from(JSON.stringify({ filled: 'x'.repeat(1_200_000) })),
  ])();
}
