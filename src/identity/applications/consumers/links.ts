// Attributes of a consumer that portals make links and images of.
import { fail } from '../../ground/faults.ts';
import { isWebAddress, isWebReference } from '../../ground/resource/index.ts';

const WEB = { accepts: isWebAddress, why: 'it must be an absolute http or https URL' };
const IMAGE = { accepts: isWebReference, why: 'it must be an http or https URL, or a path' };
const LINKS = new Map([
  ['url', WEB],
  ['img_original', IMAGE],
  ['img_small', IMAGE],
  ['img_medium', IMAGE],
]);

/** Null and an empty text mean that there is none. */
const isFine = (field: string, value: unknown): boolean =>
  value === null || value === undefined || value === '' || (LINKS.get(field)?.accepts(value) ?? true);

export function checkLinks(extra: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(extra))
    if (!isFine(field, value)) fail('request.bad_value', { field, why: LINKS.get(field)!.why });
}

/** Without those that were stored before they were checked. */
export const withoutBadLinks = (extra: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([field, value]) => isFine(field, value)));
