// Validates and parses the JSON of a mapping, by Keystone's schema of its version.

import { MAX_STATES } from './limits.ts';
import { readLocal } from './local.schema.ts';
import {
  CONDITIONS,
  type Condition,
  type ConditionKind,
  type Mapping,
  type Requirement,
  type Rule,
  SCHEMA_VERSIONS,
  type SchemaVersion,
} from './mapping.ts';
import { type JsonObject, type MappingProblem, property, Reader } from './reader.ts';
import { type Pattern, parsePattern, RegexProblem } from './regex/index.ts';

export type { MappingProblem } from './reader.ts';

/** The version of a mapping that does not have one. */
export const DEFAULT_SCHEMA_VERSION: SchemaVersion = '1.0';

type Validation =
  | { readonly mapping: Mapping; readonly problems?: undefined }
  | { readonly mapping?: undefined; readonly problems: readonly MappingProblem[] };

const isVersion = (version: unknown): version is SchemaVersion => SCHEMA_VERSIONS.some((known) => known === version);

/** The parsed mapping, or at least one problem. */
export function validateMapping(rules: unknown, version: unknown = DEFAULT_SCHEMA_VERSION): Validation {
  const reader = new Reader();
  if (!isVersion(version)) {
    reader.note('schema_version', `it must be one of ${SCHEMA_VERSIONS.join(', ')}`);
    return { problems: reader.problems };
  }
  const size = { states: 0 };
  const read = reader.each(rules, 'rules', (rule, place) => readRule(reader, rule, place, version, size));
  if (Array.isArray(rules) && rules.length === 0) reader.note('rules', 'it needs at least one rule');
  if (size.states > MAX_STATES) reader.note('rules', 'all regular expressions together are too large');
  return reader.problems.length > 0 ? { problems: reader.problems } : { mapping: { version, rules: read } };
}

/** Size of all regular expressions of a mapping. */
interface Size {
  states: number;
}

function readRule(reader: Reader, value: unknown, place: string, version: SchemaVersion, size: Size): Rule | undefined {
  const object = reader.object(value, place, ['local', 'remote']);
  if (!object) return undefined;
  const remote = property(object, 'remote');
  const local = property(object, 'local');
  if (Array.isArray(remote) && remote.length === 0) reader.note(`${place}.remote`, 'it needs at least one requirement');
  const requirements =
    remote === undefined
      ? []
      : reader.each(remote, `${place}.remote`, (requirement, at) => readRequirement(reader, requirement, at, size));
  const count = requirements.filter(
    ({ condition }) => condition?.kind !== 'any_one_of' && condition?.kind !== 'not_any_of',
  ).length;
  // Without all requirements it is unknown which placeholders exist, so they are not checked.
  const isWhole = Array.isArray(remote) && requirements.length === remote.length && remote.length > 0;
  const entries =
    local === undefined
      ? []
      : reader.each(local, `${place}.local`, (entry, at) =>
          readLocal(reader, entry, at, { version, count: isWhole ? count : Number.POSITIVE_INFINITY }),
        );
  return { requirements, local: entries };
}

function readRequirement(reader: Reader, value: unknown, place: string, size: Size): Requirement | undefined {
  const object = reader.object(value, place, ['type'], [...CONDITIONS, 'regex']);
  if (!object || !Object.hasOwn(object, 'type')) return undefined;
  const attribute = reader.text(object.type, `${place}.type`);
  if (attribute === undefined) return undefined;
  const [kind, ...more] = CONDITIONS.filter((condition) => Object.hasOwn(object, condition));
  if (more.length > 0) return reader.note(place, `it has ${[kind, ...more].join(' and ')}, but only one condition is allowed`);
  const regex = Object.hasOwn(object, 'regex') ? object.regex : false;
  if (typeof regex !== 'boolean') return reader.note(`${place}.regex`, 'must be true or false');
  if (kind === undefined) {
    if (Object.hasOwn(object, 'regex'))
      return reader.note(`${place}.regex`, 'it needs a condition: any_one_of, not_any_of, blacklist or whitelist');
    return { attribute };
  }
  return { attribute, condition: readCondition(reader, object, place, kind, regex, size) };
}

/** Values must be strings. Keystone accepts numbers, which match nothing: a blacklist of numbers excludes nobody. */
function readCondition(
  reader: Reader,
  object: JsonObject,
  place: string,
  kind: ConditionKind,
  regex: boolean,
  size: Size,
): Condition {
  const at = `${place}.${kind}`;
  const texts = (read: (text: string, place: string) => Pattern | string | undefined) =>
    reader.each(object[kind], at, (value, valueAt) => {
      const text = reader.text(value, valueAt);
      return text === undefined ? undefined : read(text, valueAt);
    });
  if (!regex) return { kind, values: new Set(texts((text) => text) as string[]) };
  return { kind, values: texts((text, valueAt) => readPattern(reader, text, valueAt, size)) as Pattern[] };
}

function readPattern(reader: Reader, text: string, place: string, size: Size): Pattern | undefined {
  // The mapping is refused anyway.
  if (size.states > MAX_STATES) return undefined;
  try {
    const pattern = parsePattern(text);
    size.states += pattern.states;
    return pattern;
  } catch (error) {
    if (error instanceof RegexProblem) return reader.note(place, error.message);
    throw error;
  }
}
