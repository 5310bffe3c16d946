// Schemas are compiled on first use: compiling all of them would take longer than the start itself.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
// Not the plugin, which also adds keywords that our schemas do not use.
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fastJson from 'fast-json-stringify';
import { type Fault, fault } from '../faults/index.ts';
import type { Schema, Static } from './schema.ts';

/** Strict: a mistyped keyword or format is an error instead of being ignored. */
const ajv = new Ajv({ strict: true, allErrors: false, formats: fullFormats });
const validators = new WeakMap<Schema, ValidateFunction>();
/** Validators that do not stop at the first error. */
const thorough = new WeakMap<Schema, ValidateFunction>();
const serializers = new WeakMap<Schema, (value: unknown) => string>();

function validatorOf(schema: Schema): ValidateFunction {
  let validator = validators.get(schema);
  if (!validator) {
    validator = ajv.compile(schema);
    validators.set(schema, validator);
  }
  return validator;
}

/** The field as a client would write it: `/user` with a missing `password` becomes `user.password`. */
const fieldOf = (error: ErrorObject): string => pathOf(error).join('.') || 'body';

function reasonOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'it is a required property';
  if (keyword === 'minProperties') return 'it must have at least one property';
  if (keyword === 'additionalProperties') return 'it is not a property of this object';
  // String(), because join() turns null into an empty text.
  if (keyword === 'enum')
    return `it must be one of ${(params as { allowedValues: unknown[] }).allowedValues.map(String).join(', ')}`;
  if (keyword === 'type') return `must be ${[(params as { type: string | string[] }).type].flat().join(' or ')}`;
  return message ?? 'it is invalid';
}

/** A fault that names the first wrong field. */
const invalid = (error: ErrorObject): Fault => fault('request.invalid_field', { field: fieldOf(error), why: reasonOf(error) });

/** Returns the typed value, or throws. */
export function validate<S extends Schema>(schema: S, value: unknown): Static<S> {
  const validator = validatorOf(schema);
  if (!validator(value)) throw invalid(validator.errors![0]!);
  return value as Static<S>;
}

/**
 * Throws like validate(). The refusal of a change with nothing in it is returned: as in Keystone, whoever may not change a thing, or asks for
 * one that is not there, is told that first.
 */
export function validateBody(schema: Schema, value: unknown): Fault | undefined {
  const validator = validatorOf(schema);
  if (validator(value)) return undefined;
  const [error] = validator.errors!;
  if (error!.keyword !== 'minProperties') throw invalid(error!);
  return invalid(error!);
}

export interface Problem {
  readonly path: readonly string[];
  readonly why: string;
}

/** Everything that is wrong with a value, for documents that people write: they want to mend all of it at once. */
export function problemsOf(schema: Schema, value: unknown): Problem[] {
  const validator =
    thorough.get(schema) ??
    new Ajv({ strict: true, allErrors: true, allowUnionTypes: true, formats: fullFormats }).compile(schema);
  thorough.set(schema, validator);
  if (validator(value)) return [];
  return validator
    .errors!.filter(({ keyword }) => keyword !== 'propertyNames')
    .map((error) => ({ path: pathOf(error), why: reasonOf(error) }));
}

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function pathOf({ instancePath, keyword, params, propertyName }: ErrorObject): string[] {
  const path = instancePath.split('/').slice(1).map(unescaped);
  if (keyword === 'required') path.push((params as { missingProperty: string }).missingProperty);
  if (keyword === 'additionalProperties') path.push((params as { additionalProperty: string }).additionalProperty);
  if (propertyName !== undefined) path.push(propertyName);
  return path;
}

/** How a value violates a schema, for tests that check our own answers. */
export function violation(schema: Schema, value: unknown): string | undefined {
  const validator = validatorOf(schema);
  return validator(value) ? undefined : ajv.errorsText(validator.errors);
}

/** Serializes a value by its schema. Properties that the schema does not name are left out. */
export function serialize(schema: Schema, value: unknown): string {
  let serializer = serializers.get(schema);
  if (!serializer) {
    serializer = fastJson(schema as unknown as fastJson.Schema);
    serializers.set(schema, serializer);
  }
  return serializer(value);
}
