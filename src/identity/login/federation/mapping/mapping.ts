// A mapping after validation: templates and regular expressions are parsed.
import type { Pattern } from './regex/index.ts';
import type { ListTemplate, Template } from './template.ts';

export const SCHEMA_VERSIONS = ['1.0', '2.0', '3.0'] as const;
/**
 * 1.0: the `domain` of a local entry is only for its `groups`.
 * 2.0: it is also the default for the user and the projects, and projects can have a `domain` of their own.
 * 3.0: adds `projects_json`. Also, the caller must remove the roles that a user has in other projects than those of the result.
 */
export type SchemaVersion = (typeof SCHEMA_VERSIONS)[number];

export interface DomainTemplate {
  readonly id?: Template;
  readonly name?: Template;
}

export interface UserTemplate {
  readonly id?: Template;
  readonly name?: Template;
  readonly email?: Template;
  readonly domain?: DomainTemplate;
  readonly type?: 'ephemeral' | 'local';
}

export type GroupTemplate =
  | { readonly id: Template }
  | { readonly id?: undefined; readonly name: Template; readonly domain: DomainTemplate };

export interface ProjectTemplate {
  readonly name: Template;
  readonly domain?: DomainTemplate;
  readonly roles: readonly { readonly name: Template }[];
}

/** One element of `local`. */
export interface LocalEntry {
  /** Its path in the mapping: `rules.0.local.1`. */
  readonly place: string;
  readonly user?: UserTemplate;
  readonly group?: GroupTemplate;
  readonly groups?: ListTemplate;
  readonly groupIds?: ListTemplate;
  readonly domain?: DomainTemplate;
  readonly projects?: readonly ProjectTemplate[];
  /** The number of the direct map that contains projects in JSON. */
  readonly projectsJson?: number;
}

export const CONDITIONS = ['any_one_of', 'not_any_of', 'blacklist', 'whitelist'] as const;
export type ConditionKind = (typeof CONDITIONS)[number];

export interface Condition {
  readonly kind: ConditionKind;
  /** Texts to compare with, or expressions to search for. */
  readonly values: ReadonlySet<string> | readonly Pattern[];
}

/** One element of `remote`. */
export interface Requirement {
  readonly attribute: string;
  readonly condition?: Condition;
}

export interface Rule {
  readonly requirements: readonly Requirement[];
  readonly local: readonly LocalEntry[];
}

export interface Mapping {
  readonly version: SchemaVersion;
  readonly rules: readonly Rule[];
}
