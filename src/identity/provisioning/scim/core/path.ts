// Paths of PATCH operations (RFC 7644, 3.5.2): an attribute, elements of it by a filter, a sub-attribute of those, or an extension.
import { fail } from '../../../ground/faults.ts';
import type { Attribute, AttributePath, ResourceType, ScimSchema } from './attribute.ts';
import { type Filter, parseElementFilter } from './filter.ts';
import { findAttributePath, findExtension, findSubAttribute } from './lookup.ts';

export type PatchPath =
  | {
      /** The attribute, or the sub-attribute when there is no filter. */
      readonly attributePath: AttributePath;
      /** Selects elements; its paths are relative to the element. */
      readonly filter?: Filter;
      /** The sub-attribute of the selected elements. */
      readonly sub?: Attribute;
      readonly extension?: undefined;
    }
  | { readonly extension: ScimSchema; readonly attributePath?: undefined };

export function parsePath(type: ResourceType, text: string): PatchPath {
  const path = text.trim();
  const open = path.indexOf('[');
  return open < 0 ? plainPath(type, path) : valuePath(type, path, open);
}

/** The path in an error message, shortened. */
export const shortenPath = (path: string): string => path.slice(0, 100);

const invalid = (path: string, why: string): never => fail('scim.invalid_path', { path: shortenPath(path), why });

function plainPath(type: ResourceType, path: string): PatchPath {
  const extension = findExtension(type, path);
  if (extension) return { extension };
  return { attributePath: findAttributePath(type, path) ?? invalid(path, 'there is no such attribute') };
}

function valuePath(type: ResourceType, path: string, open: number): PatchPath {
  // Only a name follows the filter, so a bracket in a string of the filter is never the last one.
  const close = path.lastIndexOf(']');
  if (close < open) invalid(path, 'a bracket is not closed');
  const attributePath = findAttributePath(type, path.slice(0, open)) ?? invalid(path, 'there is no such attribute');
  const [attribute, within] = attributePath.attributes;
  if (within || !attribute.multiValued || !attribute.subAttributes) invalid(path, 'the attribute has no elements to choose from');
  const sub = subAttributeAfter(attribute, path, close + 1);
  const filter = parseElementFilter(attribute, path.slice(open + 1, close));
  return sub ? { attributePath, filter, sub } : { attributePath, filter };
}

function subAttributeAfter(attribute: Attribute, path: string, from: number): Attribute | undefined {
  const rest = path.slice(from);
  if (rest === '') return undefined;
  if (!rest.startsWith('.')) invalid(path, 'a dot and a sub-attribute were expected after the bracket');
  return findSubAttribute(attribute, rest.slice(1)) ?? invalid(path, 'there is no such sub-attribute');
}
