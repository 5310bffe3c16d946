// Which attributes an answer has: RFC 7644, 3.4.2.5, and what RFC 7643 calls "returned".
import type { Attribute, Resource, ResourceType } from './attribute.ts';
import { commonAttributes } from './definitions.ts';
import { findExtension, findPlace } from './lookup.ts';

/** What to keep of an object, by key: a value as it is, or parts of it. What is not named is not kept. */
type Plan = ReadonlyMap<string, 'whole' | Plan>;

export interface Projection {
  readonly plan: Plan;
  /** Whether an answer can have this key at its top, so that nobody reads what is not asked for. */
  wants(key: string): boolean;
}

interface Wishes {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Whether the attribute at a path is kept, before its parts are looked at. */
type Keeps = (returned: Attribute['returned'], path: string) => boolean;

export function readProjection(type: ResourceType, wishes: Wishes): Projection {
  const plan = planOf(type, choiceOf(type, wishes));
  return { plan, wants: (key) => plan.has(key) };
}

/** The resource as the client wants to see it; `schemas` are there even if the resource came without. */
export function project(type: ResourceType, resource: Resource, { plan }: Projection): Resource {
  return { schemas: schemasOf(type, resource), ...pick(resource, plan) };
}

/** The schemas of a resource, by what it holds. */
export function schemasOf(type: ResourceType, resource: Resource): string[] {
  const held = type.extensions.filter(({ id }) => resource[id] !== undefined);
  return [type.core.id, ...held.map(({ id }) => id)];
}

function choiceOf(type: ResourceType, { attributes, excludedAttributes }: Wishes): Keeps {
  if (isGiven(attributes)) {
    const wanted = around(type, pathsIn(type, attributes));
    return (returned, path) => returned === 'always' || (returned !== 'never' && wanted.has(path));
  }
  const unwanted = isGiven(excludedAttributes) ? pathsIn(type, excludedAttributes) : new Set();
  return (returned, path) => returned === 'always' || (returned === 'default' && !unwanted.has(path));
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function pathsIn(type: ResourceType, text: string): Set<string> {
  const names = withoutFilters(text).split(',');
  const paths = names.map((name) => pathOf(type, name.trim()));
  return new Set(paths.filter((path) => path !== undefined));
}

/** Microsoft's collection asks for `emails[type eq "work"]`: it gets the e-mails. */
function withoutFilters(text: string): string {
  return text.replace(/\[(?:"(?:\\.|[^"\\])*"|[^"[\]])*\]/g, '');
}

function pathOf(type: ResourceType, name: string): string | undefined {
  return findExtension(type, name)?.id ?? findPlace(type, name)?.keys.join('/');
}

/** Whoever asks for an attribute gets what is in it by default, and what it is in. */
function around(type: ResourceType, named: ReadonlySet<string>): Set<string> {
  const paths = defaultPaths(type);
  const wanted = new Set(named);
  for (const path of named) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) wanted.add(path.slice(0, end));
    for (const other of paths) if (other.startsWith(`${path}/`)) wanted.add(other);
  }
  return wanted;
}

function defaultPaths(type: ResourceType): string[] {
  const paths: string[] = [];
  planOf(type, (returned, path) => {
    if (returned === 'default') paths.push(path);
    return true;
  });
  return paths;
}

function planOf(type: ResourceType, keeps: Keeps): Plan {
  const top = new Map(partsOf([...commonAttributes, ...type.core.attributes], '', keeps));
  for (const { id, attributes } of type.extensions) {
    const part = keeps('default', id) ? partOf(attributes, `${id}/`, keeps) : undefined;
    if (part) top.set(id, part);
  }
  return top;
}

function partsOf(attributes: readonly Attribute[], prefix: string, keeps: Keeps): Plan {
  const parts = new Map<string, 'whole' | Plan>();
  for (const { name, returned, subAttributes } of attributes) {
    const path = prefix + name;
    if (!keeps(returned, path)) continue;
    const part = subAttributes ? partOf(subAttributes, `${path}/`, keeps) : 'whole';
    if (part) parts.set(name, part);
  }
  return parts;
}

function partOf(attributes: readonly Attribute[], prefix: string, keeps: Keeps): 'whole' | Plan | undefined {
  const parts = partsOf(attributes, prefix, keeps);
  if (parts.size === 0) return undefined;
  const isWhole = parts.size === attributes.length && parts.values().every((part) => part === 'whole');
  return isWhole ? 'whole' : parts;
}

function pick(object: Resource, plan: Plan): Resource {
  const picked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    const part = plan.get(key);
    const kept = part === undefined || part === 'whole' ? part && value : pickPart(value, part);
    if (kept !== undefined) picked[key] = kept;
  }
  return picked;
}

/** An object of which nothing is left is not shown. */
function pickPart(value: unknown, plan: Plan): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((element) => pickPart(element, plan)).filter((element) => element !== undefined);
    return elements.length > 0 ? elements : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const picked = pick(value as Resource, plan);
  return Object.keys(picked).length > 0 ? picked : undefined;
}
