// /openid/status-lists: for everybody who was shown a credential.
import { Answer, t } from '../../../platform/http/index.ts';
import { andThen } from '../../../platform/maybe-promise.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import type { ListForm, Lists } from './lists.ts';

const tag = 'Role credentials';
const SIGNED = t.string({ description: 'A signed JWT.' });
const ID = /^[\da-f]{32}$/;

const NOT_CHANGED = { 'If-None-Match': 'The ETag of a list that was fetched before. 304 if it is still the same.' };
const REPLY_HEADERS = { ETag: 'Names this version of the list.', 'Cache-Control': 'How long it may be kept.' };

const hasTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag));

export function mountStatusLists(app: IdentityApp, { statusLists }: { readonly statusLists: Lists }): void {
  const answer = (id: string, form: ListForm, ifNoneMatch: string | undefined) =>
    andThen(ID.test(id) ? statusLists.published(id, form) : undefined, (list) => {
      if (!list) return fail('status_list.not_found', { id });
      const { headers, text, bytes } = list;
      return hasTag(ifNoneMatch, headers.ETag!) ? new Answer({ status: 304, headers }) : new Answer({ headers, text, bytes });
    });
  const documented = (type: string) => ({
    type,
    otherTypes: [type],
    headers: NOT_CHANGED,
    replyHeaders: REPLY_HEADERS,
  });

  app.get(
    '/openid/status-lists/:list_id',
    {
      id: 'getTokenStatusList',
      summary: 'Get a Token Status List',
      description:
        'The state of many credentials, as a signed JWT (draft-ietf-oauth-status-list). An entry has two bits: 0 valid, 1 revoked, 2 suspended. A revocation is in the list within a second.',
      tag,
      fromMemory: true,
      rule: 'anyone',
      documentation: documented('application/statuslist+jwt'),
      reply: { 200: SIGNED, 304: null },
    },
    ({ params, headers }) => answer(params.list_id, 'token', headers['if-none-match']),
  );
  app.get(
    '/openid/status-lists/:list_id/bitstring',
    {
      id: 'getRevocationBitstring',
      summary: 'Get a Bitstring Status List of revocation',
      description: 'A Bitstring Status List credential (W3C) as a signed JWT, from the same entries as the Token Status List.',
      tag,
      fromMemory: true,
      rule: 'anyone',
      documentation: documented('application/vc+jwt'),
      reply: { 200: SIGNED, 304: null },
    },
    ({ params, headers }) => answer(params.list_id, 'revocation', headers['if-none-match']),
  );
  app.get(
    '/openid/status-lists/:list_id/suspension',
    {
      id: 'getSuspensionBitstring',
      summary: 'Get a Bitstring Status List of suspension',
      description: 'A Bitstring Status List credential (W3C) as a signed JWT: which credentials are suspended.',
      tag,
      fromMemory: true,
      rule: 'anyone',
      documentation: documented('application/vc+jwt'),
      reply: { 200: SIGNED, 304: null },
    },
    ({ params, headers }) => answer(params.list_id, 'suspension', headers['if-none-match']),
  );
}

t.name({ StatusList: SIGNED });
