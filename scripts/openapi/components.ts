// Schemas of an OpenAPI document: named ones become components, and every use of them a reference.
import { isDeepStrictEqual } from 'node:util';
import { type Schema, t } from '../../src/platform/http/index.ts';

/** A schema in the document: plain JSON. */
type Json = Readonly<Record<string, unknown>>;

/** Keywords whose values are examples and constants, and not schemas. */
const VALUES = new Set(['examples', 'enum', 'const', 'default', 'required', 'pattern']);

export class Components {
  readonly #schemas = new Map<string, { readonly source: Schema; json: Json }>();

  /** A reference to a named schema, or the schema itself with references inside. */
  use(schema: Schema): Json {
    const name = t.nameOf(schema);
    if (name === undefined) return this.#inline(schema);
    this.#add(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  #add(name: string, source: Schema): void {
    const known = this.#schemas.get(name);
    if (known?.source === source) return;
    if (known) {
      // Made twice by a function, as the schemas of SCIM are.
      if (isDeepStrictEqual(known.source, source)) return;
      throw new Error(`two different schemas have the name ${name}`);
    }
    const entry = { source, json: {} };
    this.#schemas.set(name, entry);
    entry.json = this.#inline(source);
  }

  #inline(schema: Schema): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (VALUES.has(keyword) || typeof value !== 'object' || value === null) return [keyword, value];
        if (keyword === 'properties')
          return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.use(one as Schema)]))];
        return [keyword, Array.isArray(value) ? value.map((one) => this.#useIfSchema(one)) : this.use(value as Schema)];
      }),
    );
  }

  #useIfSchema(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? this.use(value as Schema) : value;
  }

  /** All components by name. */
  toJson(): Record<string, Json> {
    const entries = [...this.#schemas].map(([name, { json }]): [string, Json] => [name, json]);
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
