// Resolves attribute names (RFC 7644, 3.10) to paths in a resource.
import type { Attribute, AttributePath, ResourceType, ScimSchema } from './attribute.ts';
import { commonAttributes } from './definitions.ts';

interface AttributeIndex {
  readonly paths: ReadonlyMap<string, AttributePath>;
  readonly extensions: ReadonlyMap<string, ScimSchema>;
}

const indexCache = new WeakMap<ResourceType, AttributeIndex>();
const subAttributeCache = new WeakMap<Attribute, ReadonlyMap<string, Attribute>>();

/** Names are ASCII. Without this check, U+212A (the Kelvin sign) would match "k". */
const nameLike = /^[\w$:.-]{1,256}$/;

/** The path of an attribute name, case-insensitive (RFC 7643, 2.1): `userName`, `name.givenName`, also after `urn:...:User:`. */
export function findAttributePath(type: ResourceType, text: string): AttributePath | undefined {
  return nameLike.test(text) ? indexOf(type).paths.get(text.toLowerCase()) : undefined;
}

/** The extension with this URN, case-insensitive. */
export function findExtension(type: ResourceType, text: string): ScimSchema | undefined {
  return nameLike.test(text) ? indexOf(type).extensions.get(text.toLowerCase()) : undefined;
}

/** The sub-attribute with this name, case-insensitive. */
export function findSubAttribute(attribute: Attribute, text: string): Attribute | undefined {
  return nameLike.test(text) ? subAttributesOf(attribute).get(text.toLowerCase()) : undefined;
}

function subAttributesOf(attribute: Attribute): ReadonlyMap<string, Attribute> {
  let subs = subAttributeCache.get(attribute);
  if (!subs) {
    subs = new Map((attribute.subAttributes ?? []).map((sub) => [sub.name.toLowerCase(), sub]));
    subAttributeCache.set(attribute, subs);
  }
  return subs;
}

function indexOf(type: ResourceType): AttributeIndex {
  let index = indexCache.get(type);
  if (!index) {
    index = buildIndex(type);
    indexCache.set(type, index);
  }
  return index;
}

function buildIndex(type: ResourceType): AttributeIndex {
  const core = [...commonAttributes, ...type.core.attributes].flatMap((attribute) => pathsOf([], attribute));
  const entries = [...indexEntries('', core), ...indexEntries(`${type.core.id}:`, core)];
  for (const { id, attributes } of type.extensions) {
    const paths = attributes.flatMap((attribute) => pathsOf([id], attribute));
    entries.push(...indexEntries(`${id}:`, paths));
  }
  return {
    paths: new Map(entries),
    extensions: new Map(type.extensions.map((extension) => [extension.id.toLowerCase(), extension])),
  };
}

function pathsOf(above: readonly string[], attribute: Attribute): AttributePath[] {
  const keys = [...above, attribute.name];
  const subPaths = (attribute.subAttributes ?? []).map(
    (sub): AttributePath => ({ keys: [...keys, sub.name], attributes: [attribute, sub] }),
  );
  return [{ keys, attributes: [attribute] }, ...subPaths];
}

function indexEntries(prefix: string, paths: readonly AttributePath[]): [string, AttributePath][] {
  return paths.map((attributePath) => {
    const path = attributePath.attributes.map(({ name }) => name).join('.');
    return [`${prefix}${path}`.toLowerCase(), attributePath];
  });
}
