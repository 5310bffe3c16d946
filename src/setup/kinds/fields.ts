// Fields of things: as the API shows and takes them. Each attribute of one's own is a field `attributes.<name>`.
import type { Body } from '../client.ts';
import type { Fields, Json } from '../model.ts';
import type { State } from '../state.ts';
import type { KindDefinition, Referring } from './kind.ts';

const ATTRIBUTE = 'attributes.';
/** Names that mean something else to JavaScript. */
const UNSAFE_NAMES = ['__proto__', 'constructor', 'prototype'];
/** What attributes must not be called. */
export const reservedNames = (names: readonly string[]): string[] => [
  ...new Set([...names, 'id', 'links', 'name', 'description', 'enabled', 'extra', ...UNSAFE_NAMES]),
];

/** The name of an attribute; undefined for the fields that all things of the kind have. */
export const attributeOf = (field: string): string | undefined =>
  field.startsWith(ATTRIBUTE) ? field.slice(ATTRIBUTE.length) : undefined;
export const attributeFields = (attributes: object | undefined): Fields =>
  Object.fromEntries(Object.entries(attributes ?? {}).map(([name, value]) => [`${ATTRIBUTE}${name}`, value as Json]));

export function readField({ fields = {} }: KindDefinition, name: string, body: Body, state: State): Json | undefined {
  const { api = name, read } = fields[name] ?? {};
  return read ? read(body, state) : (body[attributeOf(name) ?? api] as Json | undefined);
}

export function readFields(definition: KindDefinition, body: Body, state: State): Fields {
  const { fields = {}, reserved } = definition;
  const own = Object.keys(fields).flatMap((name) => {
    const value = readField(definition, name, body, state);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (!reserved) return Object.fromEntries(own);
  const names = reservedNames(reserved);
  const others = Object.entries(body).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(own), ...attributeFields(Object.fromEntries(others)) };
}

/** What a request says. */
export function bodyOf({ fields: known = {} }: KindDefinition, fields: Fields, of: Referring): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const { api = name, send, fixed } = known[name] ?? {};
      if (fixed !== undefined) return [];
      return [[attributeOf(name) ?? api, send ? send(value, of) : value]];
    }),
  );
}
