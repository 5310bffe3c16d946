// Paths of PATCH operations (RFC 7644, 3.5.2): an attribute, elements of it by a filter, a sub-attribute of those, or an extension.
import { fail } from '../../faults.ts';
import type { Attribute, Place, ResourceType, Schema } from './attribute.ts';
import { type Filter, parseElementFilter } from './filter.ts';
import { findExtension, findPlace, findSubAttribute } from './lookup.ts';

export type PatchPath =
  | {
      /** Of the attribute, or of the sub-attribute when there is no filter. */
      readonly place: Place;
      /** Which elements are meant; its places start at the element. */
      readonly filter?: Filter;
      /** What is meant of the elements that the filter finds. */
      readonly sub?: Attribute;
      readonly extension?: undefined;
    }
  | { readonly extension: Schema; readonly place?: undefined };

export function parsePath(type: ResourceType, text: string): PatchPath {
  const path = text.trim();
  const open = path.indexOf('[');
  return open < 0 ? plainPath(type, path) : valuePath(type, path, open);
}

/** A path in a message: enough to recognise it. */
export const shownPath = (path: string): string => path.slice(0, 100);

const invalid = (path: string, why: string): never => fail('scim.invalid_path', { path: shownPath(path), why });

function plainPath(type: ResourceType, path: string): PatchPath {
  const extension = findExtension(type, path);
  if (extension) return { extension };
  return { place: findPlace(type, path) ?? invalid(path, 'there is no such attribute') };
}

function valuePath(type: ResourceType, path: string, open: number): PatchPath {
  // What follows the filter is a name, so a bracket within a string of the filter is never the last one.
  const close = path.lastIndexOf(']');
  if (close < open) invalid(path, 'a bracket is not closed');
  const place = findPlace(type, path.slice(0, open)) ?? invalid(path, 'there is no such attribute');
  const [attribute, within] = place.attributes;
  if (within || !attribute.multiValued || !attribute.subAttributes) invalid(path, 'the attribute has no elements to choose from');
  const sub = subAfter(attribute, path, close + 1);
  const filter = parseElementFilter(attribute, path.slice(open + 1, close));
  return sub ? { place, filter, sub } : { place, filter };
}

function subAfter(attribute: Attribute, path: string, from: number): Attribute | undefined {
  const rest = path.slice(from);
  if (rest === '') return undefined;
  if (!rest.startsWith('.')) invalid(path, 'a dot and a sub-attribute were expected after the bracket');
  return findSubAttribute(attribute, rest.slice(1)) ?? invalid(path, 'there is no such sub-attribute');
}
