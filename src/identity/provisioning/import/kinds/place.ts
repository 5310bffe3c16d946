// What domains and projects have in common: both are rows of projects.
import type { Found, ReadPlace } from '../kind.ts';
import { placesAmong } from './existing.store.ts';
import { optionChanges } from './options.ts';

interface PlaceRecord {
  readonly name: string;
  readonly enabled?: boolean | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether it is enabled is written by itself: what an administrator here disabled stays so when the source says something else of it. */
export const partsOfPlace = <R extends PlaceRecord>({ enabled = true, ...all }: R) => ({ all, enabled });

/** For an update of the row. What `extra` says is never one of the others. */
export function placeChanges(
  stored: { readonly options: string },
  { enabled = true, options, extra, ...body }: PlaceRecord,
  parts: ReadonlySet<string>,
) {
  return {
    ...(parts.has('all') ? { ...extra, ...body, options: optionChanges(stored.options, options) } : {}),
    enabled: parts.has('enabled') ? enabled : undefined,
  };
}

/** A domain is not a project that has its id, nor the other way round. */
export async function withoutOthers(
  { reader }: ReadPlace,
  isDomain: boolean,
  found: ReadonlyMap<string, Found>,
): Promise<Map<string, Found>> {
  const others = await placesAmong(
    reader,
    !isDomain,
    [...found.values()].map(({ id }) => id),
  );
  return new Map([...found].map(([key, one]) => [key, others.has(one.id) ? { ...one, isOther: true } : one]));
}
