// What a SCIM schema says of its attributes (RFC 7643, section 2 and 7), and how names are looked up in it.

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

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** One kind of resource: a core schema, and extensions whose attributes stand under their URN. */
export interface ResourceType {
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly core: Schema;
  readonly extensions: readonly Schema[];
}

/** A resource with the names of its schema, as rules and filters see it. */
export type Resource = Readonly<Record<string, unknown>>;

/** Where an attribute stands in a resource. */
export interface Place {
  /** Keys from the root, in the spelling of the schema: `['name', 'givenName']`, or the URN of an extension first. */
  readonly keys: readonly string[];
  /** The attributes along those keys, without the extension: one or two. */
  readonly attributes: readonly [Attribute] | readonly [Attribute, Attribute];
}
