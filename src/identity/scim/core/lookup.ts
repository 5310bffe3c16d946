// Names of attributes, as RFC 7644, 3.10 writes them, to where they stand in a resource.
import type { Attribute, Place, ResourceType, Schema } from './attribute.ts';
import { commonAttributes } from './definitions.ts';

interface Names {
  readonly places: ReadonlyMap<string, Place>;
  readonly extensions: ReadonlyMap<string, Schema>;
}

const known = new WeakMap<ResourceType, Names>();
const knownSubs = new WeakMap<Attribute, ReadonlyMap<string, Attribute>>();

/** Only ASCII is in our names; without this, U+212A (the Kelvin sign) would pass for a "k". */
const nameLike = /^[\w$:.-]{1,256}$/;

/** The place a name means, in any case (RFC 7643, 2.1): `userName`, `name.givenName`, or either after `urn:...:User:`. */
export function findPlace(type: ResourceType, text: string): Place | undefined {
  return nameLike.test(text) ? namesOf(type).places.get(text.toLowerCase()) : undefined;
}

/** The extension with this URN, in any case. */
export function findExtension(type: ResourceType, text: string): Schema | undefined {
  return nameLike.test(text) ? namesOf(type).extensions.get(text.toLowerCase()) : undefined;
}

/** The sub-attribute of a complex attribute with this name, in any case. */
export function findSubAttribute(attribute: Attribute, text: string): Attribute | undefined {
  return nameLike.test(text) ? subsOf(attribute).get(text.toLowerCase()) : undefined;
}

function subsOf(attribute: Attribute): ReadonlyMap<string, Attribute> {
  let subs = knownSubs.get(attribute);
  if (!subs) {
    subs = new Map((attribute.subAttributes ?? []).map((sub) => [sub.name.toLowerCase(), sub]));
    knownSubs.set(attribute, subs);
  }
  return subs;
}

function namesOf(type: ResourceType): Names {
  let names = known.get(type);
  if (!names) {
    names = collectNames(type);
    known.set(type, names);
  }
  return names;
}

function collectNames(type: ResourceType): Names {
  const core = [...commonAttributes, ...type.core.attributes].flatMap((attribute) => placesOf([], attribute));
  const entries = [...named('', core), ...named(`${type.core.id}:`, core)];
  for (const { id, attributes } of type.extensions) {
    const places = attributes.flatMap((attribute) => placesOf([id], attribute));
    entries.push(...named(`${id}:`, places));
  }
  return {
    places: new Map(entries),
    extensions: new Map(type.extensions.map((extension) => [extension.id.toLowerCase(), extension])),
  };
}

function placesOf(above: readonly string[], attribute: Attribute): Place[] {
  const keys = [...above, attribute.name];
  const within = (attribute.subAttributes ?? []).map(
    (sub): Place => ({ keys: [...keys, sub.name], attributes: [attribute, sub] }),
  );
  return [{ keys, attributes: [attribute] }, ...within];
}

function named(prefix: string, places: readonly Place[]): [string, Place][] {
  return places.map((place) => {
    const path = place.attributes.map(({ name }) => name).join('.');
    return [`${prefix}${path}`.toLowerCase(), place];
  });
}
