// Keystone's mapping language: turns the attributes that an identity provider asserts about a person into a user, groups and projects.
// Pure functions: no database, no HTTP.
export { applyMapping } from './apply.ts';
export type {
  Assertion,
  DomainReference,
  GroupReference,
  MappedIdentity,
  MappedProject,
  MappedUser,
  MappingRefusal,
  RefusalCode,
} from './identity.ts';
export { DEFAULT_SCHEMA_VERSION, type MappingProblem, validateMapping } from './mapping.schema.ts';
export type { Mapping, SchemaVersion } from './mapping.ts';
