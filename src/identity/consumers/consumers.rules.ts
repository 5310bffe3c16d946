// Consumers: applications are registered, seen and changed. Who manages one is for the roles above them to say.
import { isDeepStrictEqual } from 'node:util';
import { seconds } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/database/index.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import type { Seal } from '../../platform/seal/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../access/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { ConsumerRow } from '../database.ts';
import { fail } from '../faults.ts';
import { criteriaOf, type Deps, extraOf, type Filters, pageOf, parsed, single } from '../resource/index.ts';
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
/** Of what caches keep of an application, its roles and permissions. */
export const tagOfConsumer = (id: string): string => `app:${id}`;

/** The service depends on it; nobody may change or delete it. */
export const BUILT_IN_APPLICATION = 'idm_admin_app';

function refuseBuiltIn({ id }: ConsumerRow): void {
  if (id === BUILT_IN_APPLICATION) fail('resource.built_in', { kind: 'consumer', id });
}

/** Who manages applications, and who hears of those that come and go, within the change that makes or deletes them. */
export interface Management {
  manages(caller: Caller, id: string): Promise<boolean>;
  /** Undefined: all of them. */
  managed(caller: Caller): Promise<readonly string[] | undefined>;
  registered(inside: Change, caller: Caller, id: string): Promise<void>;
  leaving(inside: Change, caller: Caller, id: string): Promise<void>;
}

/** Ends a change that has nothing to change: another process wrote the same meanwhile. */
class AlreadyThere extends Error {}

export function createConsumers(deps: Pick<Deps, 'db' | 'clock' | 'change'> & { seal: Seal; management: Management }) {
  const { db, clock, change, seal, management } = deps;

  async function target(caller: Caller, id: string): Promise<IdentityTarget<ConsumerRow>> {
    const managesApplication = await management.manages(caller, id);
    return targetOf(
      await findConsumer(db.read, id),
      () => ({ managesApplication }),
      () => fail('consumer.not_found', { id }),
    );
  }

  const withSecret = (row: ConsumerRow): ConsumerWithSecret => ({
    ...row,
    plainSecret: seal.open(row.secret, placeOf(row.id)).toString(),
  });

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
    const row = await change(caller, async (inside) => {
      const made = await insert(inside, body);
      await management.registered(inside, caller, made.id);
      return made;
    });
    return withSecret(row);
  }

  async function update(caller: Caller, consumer: ConsumerRow, body: ConsumerChanges): Promise<ConsumerRow> {
    const { id } = consumer;
    refuseBuiltIn(consumer);
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
      touch(tagOfConsumer(id));
      audit('consumer.updated', { kind: 'consumer', id }, { fields: Object.keys(body) });
      return { ...held, ...values };
    });
  }

  async function remove(caller: Caller, consumer: ConsumerRow): Promise<void> {
    const { id } = consumer;
    refuseBuiltIn(consumer);
    await change(caller, async (inside) => {
      const { tx, audit, touch } = inside;
      await lockConsumer(db, tx, id);
      await management.leaving(inside, caller, id);
      await deleteConsumer(tx, id);
      touch(tagOfConsumer(id));
      audit('consumer.deleted', { kind: 'consumer', id });
    });
  }

  async function rotate(actor: Actor, id: string): Promise<ConsumerWithSecret> {
    const secret = seal.seal(Buffer.from(newSecret()), placeOf(id));
    const row = await change(actor, async ({ tx, audit, touch }) => {
      const consumer = (await findConsumer(tx, id)) ?? fail('consumer.not_found', { id });
      await updateConsumer(tx, id, { secret });
      touch(tagOfConsumer(id));
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
    touch(tagOfConsumer(id));
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
    target,
    async list(caller: Caller, query: Query) {
      const page = await listConsumers(db, pageOf(query), criteriaOf(query, filters), await management.managed(caller));
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    withSecret,
    create,
    insert,
    update,
    remove,
    async rotateSecret(caller: Caller, consumer: ConsumerRow): Promise<ConsumerWithSecret> {
      refuseBuiltIn(consumer);
      return rotate(caller, consumer.id);
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
