// /api/v1/wallet/keys

import { Answer } from '../../platform/http/index.ts';
import type { Caller, WalletApp } from '../access/index.ts';
import { CREATED, ForceQuery, type Idempotency, type ListCache, PAGED, pageAnswer, pageOf } from '../resource/index.ts';
import type { Keys } from './keys.rules.ts';
import { Key, KeyList, KeyQuery, NewKey, Revocation, RevokedKey, RotatedKey, Rotation } from './keys.schema.ts';
import { renderKeyWithUse } from './reading.ts';

const tag = 'Keys';
const KEYS = '/api/v1/wallet/keys';

const render = renderKeyWithUse;

export function mountKeys(
  app: WalletApp,
  { keys, idempotency, listCache }: { keys: Keys; idempotency: Idempotency; listCache: ListCache },
): void {
  const rule = 'owner_or_administrator';
  const target = ({ caller, params }: { caller: Caller; params: { id: string } }) => keys.target(caller, params.id);

  app.get(
    KEYS,
    {
      id: 'listKeys',
      summary: 'List the keys of the wallet',
      tag,
      rule: 'signed_in',
      query: KeyQuery,
      documentation: PAGED,
      reply: { 200: KeyList },
    },
    (call) => {
      const { caller, query } = call;
      const list = async (): Promise<Answer> => {
        const { state, algorithm, ...rest } = query;
        const page = pageOf(rest);
        const found = await keys.list(caller, { state, algorithm }, page);
        return pageAnswer(
          call,
          found.map((key) => ({ id: key.row.id, key })),
          page,
          ({ key }) => render(key),
        );
      };
      // Only the first page without filters is cached.
      return Object.keys(query).length === 0 ? listCache.answer(caller.owner, KeyList, list) : list();
    },
  );

  app.post(
    KEYS,
    {
      id: 'createKey',
      summary: 'Register a key',
      description: 'Generates one of the algorithm, or imports a private JWK. The private key is never shown.',
      tag,
      rule: 'signed_in',
      body: NewKey,
      documentation: CREATED,
      reply: { 201: Key },
    },
    async ({ caller, body, headers, signal }) => {
      const key = render(await keys.create(caller, body, idempotency.of(caller, 'keys', headers, body), signal));
      return new Answer({ headers: { Location: `${KEYS}/${key.id}` }, body: key });
    },
  );

  app.get(`${KEYS}/:id`, { id: 'getKey', summary: 'Show a key', tag, rule, target, reply: { 200: Key } }, async (call) =>
    render(await keys.show(call.target)),
  );

  app.post(
    `${KEYS}/:id/rotate`,
    {
      id: 'rotateKey',
      summary: 'Rotate a key',
      description: 'A new key takes its place. DID documents list both until the grace period ends.',
      tag,
      rule,
      target,
      body: Rotation,
      reply: { 200: RotatedKey },
    },
    async (call) => {
      const { successor, replaced } = await keys.rotate(call.caller, call.target, call.body, call.signal);
      return { ...render(successor), replaces: render(replaced) };
    },
  );

  app.post(
    `${KEYS}/:id/revoke`,
    {
      id: 'revokeKey',
      summary: 'Revoke a key',
      description: 'At once and for good: it signs nothing any more, and DID documents do not list it.',
      tag,
      rule,
      target,
      query: ForceQuery,
      body: Revocation,
      reply: { 200: RevokedKey },
    },
    async (call) => {
      const force = call.query.force === 'true';
      const ended = await keys.revoke(call.caller, call.target, call.body, force, call.signal);
      const { key, affectedCredentials, republishedDids } = ended;
      return { ...render(key), affectedCredentials, republishedDids };
    },
  );

  app.delete(
    `${KEYS}/:id`,
    {
      id: 'deleteKey',
      summary: 'Purge a key',
      description: 'Only one that is revoked or not in use, unless `force` is given. The private key is destroyed.',
      tag,
      rule,
      target,
      query: ForceQuery,
      reply: { 204: null },
    },
    (call) => keys.purge(call.caller, call.target, call.query.force === 'true'),
  );
}
