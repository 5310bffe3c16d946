// Validates and parses the entries of `local`: what a rule makes of a person.
import type { DomainTemplate, GroupTemplate, LocalEntry, ProjectTemplate, SchemaVersion, UserTemplate } from './mapping.ts';
import { readDomain, readProjects } from './projects.ts';
import { type JsonObject, property, type Reader } from './reader.ts';
import { type ListTemplate, parseListTemplate, parseTemplate, type Template, TemplateProblem } from './template.ts';

const PARTS = ['user', 'group', 'groups', 'group_ids', 'domain', 'projects'];

export interface LocalContext {
  readonly version: SchemaVersion;
  /** The number of direct maps of the rule. */
  readonly count: number;
}

export function readLocal(reader: Reader, value: unknown, place: string, context: LocalContext): LocalEntry | undefined {
  const object = reader.object(value, place, [], context.version === '3.0' ? [...PARTS, 'projects_json'] : PARTS);
  if (!object) return undefined;
  const readers = new FieldReaders(reader, context.count);
  const part = <T>(key: string, read: (value: unknown, place: string) => T | undefined): T | undefined => {
    const inner = property(object, key);
    return inner === undefined ? undefined : read(inner, `${place}.${key}`);
  };
  const user = part('user', readers.user);
  const group = part('group', readers.group);
  const groups = part('groups', readers.list);
  const groupIds = part('group_ids', readers.list);
  const domain = part('domain', readers.domain);
  const mayNameDomain = context.version !== '1.0';
  const projects = part('projects', (inner, at): ProjectTemplate[] =>
    readProjects(reader, inner, at, { mayNameDomain, readText: readers.text }),
  );
  const projectsJson = context.version === '3.0' ? part('projects_json', readers.number) : undefined;
  return {
    place,
    ...(user && { user }),
    ...(group && { group }),
    ...(groups && { groups }),
    ...(groupIds && { groupIds }),
    ...(domain && { domain }),
    ...(projects && { projects }),
    ...(projectsJson !== undefined && { projectsJson }),
  };
}

class FieldReaders {
  readonly #reader: Reader;
  readonly #count: number;

  constructor(reader: Reader, count: number) {
    this.#reader = reader;
    this.#count = count;
  }

  readonly text = (value: unknown, place: string): Template | undefined =>
    this.#parsed(value, place, (text) => parseTemplate(text, this.#count));

  readonly list = (value: unknown, place: string): ListTemplate | undefined =>
    this.#parsed(value, place, (text) => parseListTemplate(text, this.#count));

  /** `{0}` or `0`. Keystone also accepts any text after it. */
  readonly number = (value: unknown, place: string): number | undefined =>
    this.#parsed(value, place, (text) => {
      const [number, ...more] = parseTemplate(/^[0-9]+$/.test(text) ? `{${text}}` : text, this.#count);
      if (typeof number !== 'number' || more.length > 0) throw new TemplateProblem('must be one placeholder, such as {0}');
      return number;
    });

  readonly domain = (value: unknown, place: string): DomainTemplate | undefined =>
    readDomain(this.#reader, value, place, this.text);

  readonly user = (value: unknown, place: string): UserTemplate | undefined => {
    const object = this.#reader.object(value, place, [], ['id', 'name', 'email', 'domain', 'type']);
    if (!object) return undefined;
    const [id, name, email] = ['id', 'name', 'email'].map((key) => this.#textOf(object, place, key));
    const type = property(object, 'type');
    if (type !== undefined && type !== 'ephemeral' && type !== 'local')
      return this.#reader.note(`${place}.type`, 'it must be one of ephemeral, local');
    const domain = Object.hasOwn(object, 'domain') ? this.domain(object.domain, `${place}.domain`) : undefined;
    return {
      ...(id && { id }),
      ...(name && { name }),
      ...(email && { email }),
      ...(domain && { domain }),
      ...(type && { type }),
    };
  };

  /** By id, or by name and domain. */
  readonly group = (value: unknown, place: string): GroupTemplate | undefined => {
    const isObject = typeof value === 'object' && value !== null;
    const byId = isObject && Object.hasOwn(value, 'id');
    const object = this.#reader.object(value, place, byId ? ['id'] : ['name', 'domain']);
    if (!object) return undefined;
    if (byId) {
      const id = this.#textOf(object, place, 'id');
      return id && { id };
    }
    const name = this.#textOf(object, place, 'name');
    const domain = Object.hasOwn(object, 'domain') ? this.domain(object.domain, `${place}.domain`) : undefined;
    return name && domain && { name, domain };
  };

  #textOf(object: JsonObject, place: string, key: string): Template | undefined {
    return Object.hasOwn(object, key) ? this.text(object[key], `${place}.${key}`) : undefined;
  }

  #parsed<T>(value: unknown, place: string, parse: (text: string) => T): T | undefined {
    const text = this.#reader.text(value, place);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof TemplateProblem) return this.#reader.note(place, error.message);
      throw error;
    }
  }
}
