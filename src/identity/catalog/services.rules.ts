// Services of the catalog.
import type { Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Caller } from '../access/index.ts';
import type { ServiceRow } from '../database.ts';
import { fail } from '../faults.ts';
import { bit, extraOf, mergeExtra } from '../resource/index.ts';
import { type CreateService, serviceFields, type UpdateService } from './catalog.schema.ts';
import { insertEntry, updateEntry } from './catalog.store.ts';
import { type CatalogDeps, reviseEntry, writeEntry } from './entries.ts';

export type NewService = Static<typeof CreateService>['service'];
export type ServiceChanges = Static<typeof UpdateService>['service'];

export async function createService(deps: CatalogDeps, caller: Caller, body: NewService): Promise<ServiceRow> {
  const row: ServiceRow = {
    id: newId(),
    type: body.type,
    name: body.name ?? null,
    enabled: bit(body.enabled ?? true),
    extra: JSON.stringify(extraOf(body, serviceFields)),
  };
  await writeEntry(deps, caller, 'services', 'created', row.id, ({ tx }) => insertEntry(tx, 'services', row));
  return row;
}

export async function updateService(
  deps: CatalogDeps,
  caller: Caller,
  { id }: ServiceRow,
  body: ServiceChanges,
): Promise<ServiceRow> {
  if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'service' });
  return reviseEntry(deps, caller, 'services', id, async ({ tx }, lock) => {
    const service = await lock();
    const values = {
      type: body.type ?? service.type,
      name: body.name === undefined ? service.name : body.name,
      enabled: body.enabled === undefined ? service.enabled : bit(body.enabled),
      extra: mergeExtra(service.extra, extraOf(body, serviceFields)),
    };
    await updateEntry(tx, 'services', id, values);
  });
}
