// The OpenAPI document as the page reads it.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
}
export type Content = Readonly<Record<string, MediaType>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

export interface SecurityScheme {
  readonly type: string;
  readonly in?: string;
  readonly name?: string;
  readonly scheme?: string;
  readonly description?: string;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

/** An operation with its place. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const entriesOf = ({ paths }: ApiDocument): Entry[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A response, also one that many operations share. */
export const responseOf = (response: Response, { components }: ApiDocument): Response =>
  response.$ref === undefined ? response : (components.responses[nameOf(response.$ref)] ?? {});

/** Operations that have every word of a search, in their id, path, texts or tag. */
export function search(entries: readonly Entry[], text: string): readonly Entry[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ method, path, operation }) => {
    const all = [method, path, operation.operationId, operation.summary, ...operation.tags].join(' ').toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}
