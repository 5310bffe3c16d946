// Fills the templates of a domain.
import type { DomainReference } from './identity.ts';
import type { DomainTemplate } from './mapping.ts';
import { type DirectMaps, fill } from './template.ts';

/** Undefined if a placeholder has no value. */
export function fillDomain({ id, name }: DomainTemplate, maps: DirectMaps): DomainReference | undefined {
  const filledId = id && fill(id, maps);
  const filledName = name && fill(name, maps);
  if ((id && filledId === undefined) || (name && filledName === undefined)) return undefined;
  return { ...(filledId !== undefined && { id: filledId }), ...(filledName !== undefined && { name: filledName }) };
}
