// /api/v1/wallet/credentials

import type { WalletApp } from '../access/index.ts';
import type { Deps } from '../deps.ts';
import { PAGED, pageAnswer, pageOf } from '../resource/index.ts';
import { CredentialList, CredentialQuery, renderCredential } from './credentials.schema.ts';

const tag = 'Credentials';
const CREDENTIALS = '/api/v1/wallet/credentials';

export function mountCredentials(app: WalletApp, { credentials, protocols }: Pick<Deps, 'credentials' | 'protocols'>): void {
  app.get(
    CREDENTIALS,
    {
      summary: 'List the credentials the wallet holds',
      tag,
      query: CredentialQuery,
      described: PAGED,
      reply: { 200: CredentialList },
    },
    async (call) => {
      const { caller, query } = call;
      const { limit, cursor, include, refreshStatus, ...filter } = query;
      const page = pageOf({ limit, cursor });
      const list = () => credentials.list(caller, filter, page, include === 'raw');
      if (refreshStatus === 'true') await (await protocols()).keeping.refresh((await list()).map(({ row }) => row));
      const found = (await list()).map((parts) => ({ id: parts.row.id, parts }));
      return pageAnswer(call, found, page, ({ parts }) => renderCredential(parts));
    },
  );

  app.delete(
    `${CREDENTIALS}/:id`,
    { summary: 'Purge a credential; its issuer is not told', tag, reply: { 204: null } },
    async ({ caller, params }) => credentials.purge(caller, params.id),
  );
}
