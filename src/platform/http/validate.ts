// Schemas compiled on first use: compiling all of them at start costs more than starting.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
// Not the plugin: it would bring keywords that no document of ours has.
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fastJson from 'fast-json-stringify';
import { fail } from '../faults/index.ts';
import type { Schema, Static } from './schema.ts';

/** Strict: a keyword or a format that is mistyped is an error, and not a rule that is never asked. */
const ajv = new Ajv({ strict: true, allErrors: false, formats: fullFormats });
const validators = new WeakMap<Schema, ValidateFunction>();
const serializers = new WeakMap<Schema, (value: unknown) => string>();

function validatorOf(schema: Schema): ValidateFunction {
  let validator = validators.get(schema);
  if (!validator) {
    validator = ajv.compile(schema);
    validators.set(schema, validator);
  }
  return validator;
}

/** `/user/name` and a missing `password` become `user.password`: the name a client would write. */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.split('/').slice(1);
  if (keyword === 'required') path.push((params as { missingProperty: string }).missingProperty);
  if (keyword === 'additionalProperties') path.push((params as { additionalProperty: string }).additionalProperty);
  return path.join('.') || 'body';
}

function reasonOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'it is a required property';
  if (keyword === 'additionalProperties') return 'it is not a property of this object';
  // Joined as they are, null would be nothing.
  if (keyword === 'enum')
    return `it must be one of ${(params as { allowedValues: unknown[] }).allowedValues.map(String).join(', ')}`;
  if (keyword === 'type') return `must be ${[(params as { type: string | string[] }).type].flat().join(' or ')}`;
  return message ?? 'it is invalid';
}

/** The value, typed, or a fault that names the first field that is wrong. */
export function validate<S extends Schema>(schema: S, value: unknown): Static<S> {
  const validator = validatorOf(schema);
  if (!validator(value)) {
    const error = validator.errors![0]!;
    fail('request.invalid_field', { field: fieldOf(error), why: reasonOf(error) });
  }
  return value as Static<S>;
}

/** What a value breaks of a schema, for tests that check our own answers. */
export function violation(schema: Schema, value: unknown): string | undefined {
  const validator = validatorOf(schema);
  return validator(value) ? undefined : ajv.errorsText(validator.errors);
}

/** Text of a value by its schema: what the schema does not name does not leave. */
export function serialize(schema: Schema, value: unknown): string {
  let serializer = serializers.get(schema);
  if (!serializer) {
    serializer = fastJson(schema as unknown as fastJson.Schema);
    serializers.set(schema, serializer);
  }
  return serializer(value);
}
