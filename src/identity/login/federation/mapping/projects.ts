// Reads projects: those of a rule, which contain templates, and those in the JSON of an assertion, which contain texts.
import { property, type Reader } from './reader.ts';

type ReadText<T> = (value: unknown, place: string) => T | undefined;

interface Domain<T> {
  readonly id?: T;
  readonly name?: T;
}

export interface Project<T> {
  readonly name: T;
  readonly domain?: Domain<T>;
  readonly roles: readonly { readonly name: T }[];
}

/** Keystone accepts an empty object, and fails when someone logs in. */
export function readDomain<T>(reader: Reader, value: unknown, place: string, readText: ReadText<T>): Domain<T> | undefined {
  const object = reader.object(value, place, [], ['id', 'name']);
  if (!object) return undefined;
  if (!Object.hasOwn(object, 'id') && !Object.hasOwn(object, 'name')) return reader.note(place, 'it needs an id or a name');
  const part = (key: 'id' | 'name'): T | undefined =>
    Object.hasOwn(object, key) ? readText(object[key], `${place}.${key}`) : undefined;
  const [id, name] = [part('id'), part('name')];
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}

function readRole<T>(reader: Reader, value: unknown, place: string, readText: ReadText<T>): { readonly name: T } | undefined {
  const object = reader.object(value, place, ['name']);
  if (!object || !Object.hasOwn(object, 'name')) return undefined;
  const name = readText(object.name, `${place}.name`);
  return name === undefined ? undefined : { name };
}

export function readProjects<T>(
  reader: Reader,
  value: unknown,
  place: string,
  { mayNameDomain, readText }: { readonly mayNameDomain: boolean; readonly readText: ReadText<T> },
): Project<T>[] {
  return reader.each(value, place, (element, at) => {
    const object = reader.object(element, at, ['name', 'roles'], mayNameDomain ? ['domain'] : []);
    if (!object || !Object.hasOwn(object, 'name') || !Object.hasOwn(object, 'roles')) return undefined;
    const name = readText(object.name, `${at}.name`);
    const roles = reader.each(object.roles, `${at}.roles`, (role, roleAt) => readRole(reader, role, roleAt, readText));
    const domain = mayNameDomain ? property(object, 'domain') : undefined;
    if (name === undefined) return undefined;
    const named = domain === undefined ? undefined : readDomain(reader, domain, `${at}.domain`, readText);
    return { name, roles, ...(named && { domain: named }) };
  });
}
