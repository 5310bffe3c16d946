// SCIM schemas and their attributes (RFC 7643, sections 2 and 7).

export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'reference' | 'binary' | 'complex';
  readonly description: string;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: 'always' | 'never' | 'default' | 'request';
  readonly uniqueness: 'none' | 'server' | 'global';
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

export interface ScimSchema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A resource type: a core schema, and extensions whose attributes are grouped under their URN. */
export interface ResourceType {
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly core: ScimSchema;
  readonly extensions: readonly ScimSchema[];
}

/** A JSON object as a client sent it. */
export type ScimJsonObject = Readonly<Record<string, unknown>>;

/** A resource in the canonical names of its schema. */
export type Resource = Readonly<Record<string, unknown>>;

/** The path of an attribute in a resource. */
export interface AttributePath {
  /** Keys from the root, in the spelling of the schema: `['name', 'givenName']`, or the URN of an extension first. */
  readonly keys: readonly string[];
  /** The attributes along those keys, without the extension: one or two. */
  readonly attributes: readonly [Attribute] | readonly [Attribute, Attribute];
}
