// Kinds whose things are rows of a noun: the catalog, policies, service providers. They are known by their ids.
import { type Schema, t } from '../../../../platform/http/index.ts';
import { newId } from '../../../../platform/ids.ts';
import { insertNounRow, type RowOf, replaceNounRow } from '../../../access/noun/index.ts';
import type { NounName } from '../../../ground/noun-names.ts';
import { bit } from '../../../ground/resource/index.ts';
import { type KeyedRecord, makeEach, type ReadPlace, type RecordKind, type Reference, recordKind } from '../kind.ts';
import { nounIds } from './existing.store.ts';
import { BY_ID } from './existing.ts';
import { extra, id, key, text } from './fields.ts';

type NounRecord = KeyedRecord & { readonly id?: string | undefined };

function nounKind<R extends NounRecord, One extends NounName>(
  one: One,
  schema: Schema<R>,
  words: (record: R) => string,
  rowOf: (record: R, place: ReadPlace) => Omit<RowOf<One>, 'id'>,
  needs: (record: R) => readonly Reference[] = () => [],
): RecordKind<R> {
  return recordKind<R>({
    schema,
    words,
    needs,
    async existing({ reader }, records) {
      const here = await nounIds(
        reader,
        one,
        records.flatMap((record) => record.id ?? []),
      );
      const found = records.filter((record) => record.id !== undefined && here.has(record.id));
      return new Map(found.map((record) => [record.key, { id: record.id!, by: BY_ID }]));
    },
    make: (place, records) =>
      makeEach(records, async (record) => {
        const own = record.id ?? newId();
        await insertNounRow(place.change, one, { ...rowOf(record, place), id: own } as unknown as RowOf<One>);
        return own;
      }),
    async update(place, here, record) {
      const row = { ...rowOf(record, place), id: here } as Partial<RowOf<One>> & { id: string };
      return (await replaceNounRow(place.deps.db, place.change, one, row)) ? here : undefined;
    },
  });
}

/** Longer than other ids, and with whatever signs people gave them. */
const regionId = t.string({ minLength: 1, maxLength: 255, pattern: '^[^/]+$' });
const optionalKey = t.nullable(key);
const ref = (kind: string, value: string | null | undefined): Reference[] => (value == null ? [] : [{ kind, key: value }]);
const idOf = (place: ReadPlace, kind: string, value: string | null | undefined): string | null =>
  value == null ? null : place.idOfNeeded(kind, value);
const json = (value: Readonly<Record<string, unknown>> | undefined): string => JSON.stringify(value ?? {});

export const region = nounKind(
  'region',
  t.object({ key }, { id: regionId, description: text, parent: optionalKey, extra }),
  (record) => `region ${record.key}`,
  (record, place) => ({
    description: record.description ?? '',
    parent_region_id: idOf(place, 'region', record.parent),
    extra: json(record.extra),
  }),
  ({ parent }) => ref('region', parent),
);

export const service = nounKind(
  'service',
  t.object({ key, type: t.string({ minLength: 1, maxLength: 255 }) }, { id, name: text, enabled: t.boolean(), extra }),
  (record) => `service ${record.name ?? record.type}`,
  (record) => ({ type: record.type, name: record.name ?? null, enabled: bit(record.enabled ?? true), extra: json(record.extra) }),
);

export const endpoint = nounKind(
  'endpoint',
  t.object(
    { key, service: key, interface: t.oneOf('public', 'internal', 'admin'), url: t.string({ minLength: 1, maxLength: 2048 }) },
    { id, region: optionalKey, enabled: t.boolean(), extra },
  ),
  (record) => `endpoint ${record.url}`,
  (record, place) => ({
    service_id: place.idOfNeeded('service', record.service),
    region_id: idOf(place, 'region', record.region),
    interface: record.interface,
    url: record.url,
    enabled: bit(record.enabled ?? true),
    extra: json(record.extra),
  }),
  (record) => [...ref('service', record.service), ...ref('region', record.region)],
);

export const endpointGroup = nounKind(
  'endpoint_group',
  t.object({ key, name: t.string({ minLength: 1, maxLength: 255 }), filters: extra }, { id, description: text }),
  (record) => `endpoint group ${record.name}`,
  ({ name, description, filters }) => ({ name, description: description ?? null, filters: json(filters) }),
);

export const policy = nounKind(
  'policy',
  t.object({ key, type: t.string({ minLength: 1, maxLength: 255 }), blob: t.string() }, { id, extra }),
  (record) => `policy ${record.key}`,
  ({ type, blob, extra: others }) => ({ type, blob, extra: json(others) }),
);

const address = t.string({ minLength: 1, maxLength: 256, pattern: '^https?://.+' });

export const serviceProvider = nounKind(
  'service_provider',
  t.object(
    { key, auth_url: address, sp_url: address },
    {
      id,
      enabled: t.boolean(),
      description: text,
      relay_state_prefix: t.nullable(t.string({ maxLength: 256 })),
      created_at: t.integer(),
    },
  ),
  (record) => `service provider ${record.key}`,
  (record) => ({
    enabled: bit(record.enabled ?? true),
    description: record.description ?? null,
    auth_url: record.auth_url,
    sp_url: record.sp_url,
    relay_state_prefix: record.relay_state_prefix ?? null,
    created_at: record.created_at ?? 0,
  }),
);
