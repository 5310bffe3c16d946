// The input and the result of a mapping.

/**
 * What the identity provider asserts: attributes by name. A string is split at each semicolon, as in Keystone, where web servers join several
 * values that way. A list of strings is not split: a semicolon in a claim of OpenID Connect is part of the value. Other types are ignored.
 */
export type Assertion = Readonly<Record<string, unknown>>;

/** By id or by name. If it has both, the id counts. */
export interface DomainReference {
  readonly id?: string;
  readonly name?: string;
}

export interface MappedUser {
  readonly id?: string;
  readonly name?: string;
  readonly email?: string;
  /** If it is missing, the domain of the identity provider. */
  readonly domain?: DomainReference;
  /** `local`: a user who already exists. `ephemeral`: a user who is created from the assertion. */
  readonly type: 'ephemeral' | 'local';
}

export interface GroupReference {
  readonly name: string;
  readonly domain: DomainReference;
}

export interface MappedProject {
  readonly name: string;
  /** If it is missing, the domain of the identity provider. */
  readonly domain?: DomainReference;
  readonly roles: readonly { readonly name: string }[];
}

export interface MappedIdentity {
  /** Can have neither an id nor a name, or empty ones: the caller must check. */
  readonly user: MappedUser;
  readonly groups: readonly GroupReference[];
  readonly groupIds: readonly string[];
  readonly projects: readonly MappedProject[];
  readonly refusal?: undefined;
}

export type RefusalCode =
  /** No rule applies, or the rules that apply have no `local` entries. */
  | 'no_rule_applies'
  /** A whitelist or blacklist removed all values that the user is made of. */
  | 'no_value'
  /** Groups by name, without their domain. */
  | 'groups_without_domain'
  /** A group in JSON that cannot be read. */
  | 'invalid_group'
  /** Projects in JSON that cannot be read. */
  | 'invalid_projects'
  /** A value with a NUL character or a lone surrogate. */
  | 'invalid_value'
  | 'too_large'
  | 'too_costly';

export interface MappingRefusal {
  readonly refusal: {
    readonly code: RefusalCode;
    /** For the log and for administrators. It contains no values of the assertion. */
    readonly why: string;
  };
}

/** Ends an evaluation; applyMapping returns it as a refusal. */
export class RefusalError extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, why: string) {
    super(why);
    this.code = code;
  }
}
