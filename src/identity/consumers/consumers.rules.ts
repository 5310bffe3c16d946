// Consumers: who may register, see and change an application.
import { isDeepStrictEqual } from 'node:util';
import { seconds } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/database/index.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { tagOf } from '../access/index.ts';
import { appTagOf, hasInternal, insertUserAssignment, isBuiltIn, type Managers } from '../app-roles/index.ts';
import { extraOf, parsed } from '../attributes.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { Caller } from '../caller.ts';
import type { ConsumerRow } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { criteriaOf, type Filters, pageOf, single } from '../lists.ts';
import { isAdministrator } from '../policy.ts';
import { findUser } from '../users/index.ts';
import { type CreateConsumer, consumerFields, type UpdateConsumer } from './consumers.schema.ts';
import {
  deleteConsumer,
  endGrants,
  findConsumer,
  insertConsumer,
  listConsumers,
  lockConsumer,
  readSecrets,
  updateConsumer,
} from './consumers.store.ts';
import { afterLogoutOf, checkOpenidFields, namesAfterLogout, withoutNull } from './openid-fields.ts';
import { checkFit, checkRedirectUris } from './redirect-uris.ts';

type NewConsumer = Static<typeof CreateConsumer>['consumer'];
type ConsumerChanges = Static<typeof UpdateConsumer>['consumer'];
export type ConsumerWithSecret = ConsumerRow & { readonly plainSecret: string };

const filters: Filters = {
  ...Object.fromEntries(
    ['name', 'description', 'client_type', 'grant_type'].map((name) => [
      name,
      { column: `consumers.${name}`, kind: 'text' as const },
    ]),
  ),
};

/** What an application that comes with the installation is moved by. */
export interface ConsumerValues {
  readonly redirect_uris: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}
type BodyOf = (held: ConsumerValues | undefined) => NewConsumer & ConsumerValues;

const valuesOf = (row: ConsumerRow): ConsumerValues => ({
  redirect_uris: JSON.parse(row.redirect_uris) as string[],
  extra: parsed(row.extra),
});
/** In whatever order. */
const isSameSet = (one: string, other: string): boolean =>
  new Set(JSON.parse(one) as string[]).symmetricDifference(new Set(JSON.parse(other) as string[])).size === 0;

const columnsOf = ({ redirect_uris: uris, extra }: ConsumerValues) => ({
  redirect_uris: JSON.stringify(uris),
  extra: JSON.stringify(extra),
});

/** What is kept beyond the fields we know, wherever in the body it was. */
const extraIn = (body: ConsumerChanges): Record<string, unknown> => ({ ...body.extra, ...extraOf(body, consumerFields) });

function checkSent(body: ConsumerChanges): void {
  checkRedirectUris(body.redirect_uris ?? []);
  checkOpenidFields(extraIn(body));
}

const placeOf = (id: string): string => `consumers/${id}`;
const PROVIDER = 'provider';

/** Ends a change that has nothing to change: another process wrote the same meanwhile. */
class AlreadyThere extends Error {}

export function createConsumers(deps: Pick<Deps, 'db' | 'clock' | 'change'> & { seal: Seal; managers: Managers }) {
  const { db, clock, change, seal, managers } = deps;

  async function consumerFor(caller: Caller, action: string, id: string): Promise<ConsumerRow> {
    await managers.permit(caller, action, id, 'manage-application');
    return (await findConsumer(db.read, id)) ?? fail('consumer.not_found', { id });
  }

  const withSecret = (row: ConsumerRow): ConsumerWithSecret => ({
    ...row,
    plainSecret: seal.open(row.secret, placeOf(row.id)).toString(),
  });

  /** Whoever registers an application manages it, as its provider in their own organization. */
  async function ownOrganization(caller: Caller): Promise<string | undefined> {
    if (isAdministrator(caller)) return undefined;
    return (await findUser(db.read, caller.userId))?.default_project_id ?? fail('organization.no_default');
  }

  /** Makes the row of a consumer within a change of the caller's own. */
  async function insert({ tx, audit }: Change, body: NewConsumer, id = newId()): Promise<ConsumerRow> {
    const row: ConsumerRow = {
      id,
      name: body.name,
      description: body.description ?? null,
      client_type: body.client_type ?? 'confidential',
      grant_type: body.grant_type ?? 'authorization_code',
      redirect_uris: JSON.stringify(body.redirect_uris ?? []),
      scopes: JSON.stringify(body.scopes ?? []),
      extra: JSON.stringify(withoutNull(extraIn(body))),
      secret: seal.seal(Buffer.from(newSecret()), placeOf(id)),
      created_at: seconds(clock),
    };
    await insertConsumer(tx, row);
    audit('consumer.created', { kind: 'consumer', id });
    return row;
  }

  async function create(caller: Caller, body: NewConsumer): Promise<ConsumerWithSecret> {
    checkSent(body);
    checkFit(body.redirect_uris ?? [], afterLogoutOf(extraIn(body)));
    const organizationId = await ownOrganization(caller);
    const row = await change(caller, async (inside) => {
      const made = await insert(inside, body);
      if (organizationId !== undefined) {
        await insertUserAssignment(inside.tx, {
          userId: caller.userId,
          organizationId,
          applicationId: made.id,
          roleId: PROVIDER,
        });
        inside.touch(appTagOf.user(caller.userId));
        inside.audit(
          'app_role.assigned',
          { kind: 'app_role', id: PROVIDER },
          { user_id: caller.userId, organization_id: organizationId, application_id: made.id },
        );
      }
      return made;
    });
    return withSecret(row);
  }

  async function update(caller: Caller, id: string, body: ConsumerChanges): Promise<ConsumerRow> {
    await consumerFor(caller, 'update_consumer', id);
    if (isBuiltIn(id)) fail('resource.built_in', { kind: 'consumer', id });
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'consumer' });
    if (body.secret !== undefined) fail('request.bad_value', { field: 'secret', why: 'it cannot be changed this way' });
    checkSent(body);
    return change(caller, async ({ tx, audit, touch }) => {
      const held = (await lockConsumer(db, tx, id)) ?? fail('consumer.not_found', { id });
      const values = {
        name: body.name ?? held.name,
        description: body.description === undefined ? held.description : body.description,
        client_type: body.client_type ?? held.client_type,
        grant_type: body.grant_type ?? held.grant_type,
        redirect_uris: body.redirect_uris ? JSON.stringify(body.redirect_uris) : held.redirect_uris,
        scopes: body.scopes ? JSON.stringify(body.scopes) : held.scopes,
        extra: JSON.stringify(withoutNull({ ...parsed(held.extra), ...extraIn(body) })),
      };
      // Rows that are older than this check can still be given another name.
      if (body.redirect_uris || namesAfterLogout(extraIn(body)))
        checkFit(JSON.parse(values.redirect_uris) as string[], afterLogoutOf(parsed(values.extra)));
      await updateConsumer(tx, id, values);
      // What was given for other addresses may be in the hands of whoever has those.
      if (!isSameSet(held.redirect_uris, values.redirect_uris)) await endGrants(tx, id);
      touch(appTagOf.application(id));
      audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(body) });
      return { ...held, ...values };
    });
  }

  async function remove(caller: Caller, id: string): Promise<void> {
    await consumerFor(caller, 'delete_consumer', id);
    if (isBuiltIn(id)) fail('resource.built_in', { kind: 'consumer', id });
    await change(caller, async ({ tx, audit, touch }) => {
      await lockConsumer(db, tx, id);
      // Internal roles and permissions go with it, and other applications depend on those.
      const elsewhere = await hasInternal(tx, id);
      if (elsewhere) managers.administrator(caller, 'delete_consumer (is_internal)');
      await deleteConsumer(tx, id);
      touch(elsewhere ? tagOf.everything : appTagOf.application(id));
      audit('consumer.deleted', { kind: 'consumer', id });
    });
  }

  async function rotate(actor: Actor, id: string): Promise<ConsumerWithSecret> {
    const secret = seal.seal(Buffer.from(newSecret()), placeOf(id));
    const row = await change(actor, async ({ tx, audit, touch }) => {
      const consumer = (await findConsumer(tx, id)) ?? fail('consumer.not_found', { id });
      await updateConsumer(tx, id, { secret });
      touch(appTagOf.application(id));
      audit('consumer.secret_rotated', { kind: 'consumer', id });
      return { ...consumer, secret };
    });
    return withSecret(row);
  }

  /** Written by `bodyOf`, from what is there while nobody else changes it. */
  async function move({ tx, audit, touch }: Change, id: string, bodyOf: BodyOf): Promise<ConsumerRow | undefined> {
    const held = await lockConsumer(db, tx, id);
    if (!held) return undefined;
    const values = columnsOf(bodyOf(valuesOf(held)));
    if (isDeepStrictEqual(values, columnsOf(valuesOf(held)))) throw new AlreadyThere();
    await updateConsumer(tx, id, values);
    touch(appTagOf.application(id));
    audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(values) });
    return { ...held, ...values };
  }

  /** An application that comes with the installation: made when it is missing, and moved when its address is another. */
  async function ensure(actor: Actor, id: string, bodyOf: BodyOf): Promise<ConsumerWithSecret> {
    const found = await findConsumer(db.read, id);
    const stays = found && isDeepStrictEqual(columnsOf(bodyOf(valuesOf(found))), columnsOf(valuesOf(found)));
    if (stays) return withSecret(found);
    try {
      return withSecret(
        await change(actor, async (inside) => (await move(inside, id, bodyOf)) ?? insert(inside, bodyOf(undefined), id)),
      );
    } catch (error) {
      // Another process of the same service was first; ours may still be missing in what it wrote.
      if (!isUniqueViolation(error) && !(error instanceof AlreadyThere)) throw error;
      return ensure(actor, id, bodyOf);
    }
  }

  return {
    async list(caller: Caller, query: Query) {
      const within = await managers.managed(caller, 'manage-application');
      const page = await listConsumers(db, pageOf(query), criteriaOf(query, filters), within);
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    getWithSecret: async (caller: Caller, id: string) => withSecret(await consumerFor(caller, 'get_consumer', id)),
    create,
    insert,
    update,
    remove,
    async rotateSecret(caller: Caller, id: string): Promise<ConsumerWithSecret> {
      await consumerFor(caller, 'rotate_consumer_secret', id);
      if (isBuiltIn(id)) fail('resource.built_in', { kind: 'consumer', id });
      return rotate(caller, id);
    },
    ensure,
    /** For the OpenID provider: the application itself, whoever asks. */
    async findWithSecret(id: string): Promise<ConsumerWithSecret | undefined> {
      const row = await findConsumer(db.read, id);
      return row && withSecret(row);
    },
    /** For the command line, which acts as the service. */
    rotateSecretOf: rotate,
    /** After a change of the master key: every secret sealed anew under the current one. Returns how many. */
    async reseal({ tx }: Change): Promise<number> {
      const rows = await readSecrets(tx);
      for (const { id, secret } of rows)
        await updateConsumer(tx, id, { secret: seal.seal(seal.open(secret, placeOf(id)), placeOf(id)) });
      return rows.length;
    },
  };
}

export type Consumers = ReturnType<typeof createConsumers>;
