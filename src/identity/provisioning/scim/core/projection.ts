// Selects the attributes of a reply: RFC 7644, 3.4.2.5, and "returned" of RFC 7643.
import type { Attribute, Resource, ResourceType } from './attribute.ts';
import { commonAttributes } from './definitions.ts';
import { findAttributePath, findExtension } from './lookup.ts';

/** What a reply keeps of an object, by key: the whole value, or parts of it. Other keys are dropped. */
type ProjectionPlan = ReadonlyMap<string, 'whole' | ProjectionPlan>;

export interface Projection {
  readonly plan: ProjectionPlan;
  /** Whether the reply can have this top-level key. If not, it need not be read. */
  wants(key: string): boolean;
}

interface ProjectionParameters {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Whether the attribute at a path is kept, not considering its sub-attributes. */
type AttributeSelector = (returned: Attribute['returned'], path: string) => boolean;

export function readProjection(type: ResourceType, wishes: ProjectionParameters): Projection {
  const plan = planOf(type, selectorOf(type, wishes));
  return { plan, wants: (key) => plan.has(key) };
}

/** The resource with the selected attributes; always has `schemas`. */
export function project(type: ResourceType, resource: Resource, { plan }: Projection): Resource {
  return { schemas: schemasOf(type, resource), ...pick(resource, plan) };
}

/** The schemas of a resource, derived from its content. */
export function schemasOf(type: ResourceType, resource: Resource): string[] {
  const extensions = type.extensions.filter(({ id }) => resource[id] !== undefined);
  return [type.core.id, ...extensions.map(({ id }) => id)];
}

function selectorOf(type: ResourceType, { attributes, excludedAttributes }: ProjectionParameters): AttributeSelector {
  if (isFilled(attributes)) {
    const selected = withRelatedPaths(type, pathsIn(type, attributes));
    return (returned, path) => returned === 'always' || (returned !== 'never' && selected.has(path));
  }
  const unwanted = isFilled(excludedAttributes) ? pathsIn(type, excludedAttributes) : new Set();
  return (returned, path) => returned === 'always' || (returned === 'default' && !unwanted.has(path));
}

function isFilled(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function pathsIn(type: ResourceType, text: string): Set<string> {
  const names = withoutFilters(text).split(',');
  const paths = names.map((name) => pathOf(type, name.trim()));
  return new Set(paths.filter((path) => path !== undefined));
}

/** Microsoft's collection requests `emails[type eq "work"]`; it gets all e-mails. */
function withoutFilters(text: string): string {
  return text.replace(/\[(?:"(?:\\.|[^"\\])*"|[^"[\]])*\]/g, '');
}

function pathOf(type: ResourceType, name: string): string | undefined {
  return findExtension(type, name)?.id ?? findAttributePath(type, name)?.keys.join('/');
}

/** A requested attribute includes its default sub-attributes and its parents. */
function withRelatedPaths(type: ResourceType, named: ReadonlySet<string>): Set<string> {
  const paths = defaultPaths(type);
  const selected = new Set(named);
  for (const path of named) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) selected.add(path.slice(0, end));
    for (const other of paths) if (other.startsWith(`${path}/`)) selected.add(other);
  }
  return selected;
}

function defaultPaths(type: ResourceType): string[] {
  const paths: string[] = [];
  planOf(type, (returned, path) => {
    if (returned === 'default') paths.push(path);
    return true;
  });
  return paths;
}

function planOf(type: ResourceType, selects: AttributeSelector): ProjectionPlan {
  const top = new Map(partsOf([...commonAttributes, ...type.core.attributes], '', selects));
  for (const { id, attributes } of type.extensions) {
    const part = selects('default', id) ? partOf(attributes, `${id}/`, selects) : undefined;
    if (part) top.set(id, part);
  }
  return top;
}

function partsOf(attributes: readonly Attribute[], prefix: string, selects: AttributeSelector): ProjectionPlan {
  const parts = new Map<string, 'whole' | ProjectionPlan>();
  for (const { name, returned, subAttributes } of attributes) {
    const path = prefix + name;
    if (!selects(returned, path)) continue;
    const part = subAttributes ? partOf(subAttributes, `${path}/`, selects) : 'whole';
    if (part) parts.set(name, part);
  }
  return parts;
}

function partOf(
  attributes: readonly Attribute[],
  prefix: string,
  selects: AttributeSelector,
): 'whole' | ProjectionPlan | undefined {
  const parts = partsOf(attributes, prefix, selects);
  if (parts.size === 0) return undefined;
  const isWhole = parts.size === attributes.length && parts.values().every((part) => part === 'whole');
  return isWhole ? 'whole' : parts;
}

function pick(object: Resource, plan: ProjectionPlan): Resource {
  const picked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    const part = plan.get(key);
    const kept = part === undefined || part === 'whole' ? part && value : pickPart(value, part);
    if (kept !== undefined) picked[key] = kept;
  }
  return picked;
}

/** Undefined when nothing is left of the value. */
function pickPart(value: unknown, plan: ProjectionPlan): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((element) => pickPart(element, plan)).filter((element) => element !== undefined);
    return elements.length > 0 ? elements : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const picked = pick(value as Resource, plan);
  return Object.keys(picked).length > 0 ? picked : undefined;
}
