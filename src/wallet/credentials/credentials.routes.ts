// /api/v1/wallet/credentials

import type { WalletApp } from '../access/index.ts';
import type { CredentialRow } from '../ground/database.ts';
import { PAGED, pageAnswer, pageOf } from '../resource/index.ts';
import type { WalletCredentials } from './credentials.rules.ts';
import { Credential, CredentialList, CredentialQuery, renderCredential } from './credentials.schema.ts';

const tag = 'Credentials';
const CREDENTIALS = '/api/v1/wallet/credentials';

interface CredentialRouteDeps {
  readonly credentials: WalletCredentials;
  /** Fetches the status of these credentials again. */
  readonly refreshStatus: (rows: readonly CredentialRow[]) => Promise<void>;
}

export function mountCredentials(app: WalletApp, { credentials, refreshStatus }: CredentialRouteDeps): void {
  app.get(
    CREDENTIALS,
    {
      id: 'listCredentials',
      summary: 'List the credentials of the wallet',
      tag,
      rule: 'signed_in',
      query: CredentialQuery,
      documentation: PAGED,
      reply: { 200: CredentialList },
    },
    async (call) => {
      const { caller, query } = call;
      const { limit, cursor, include, refreshStatus: isRefreshed, ...filter } = query;
      const page = pageOf({ limit, cursor });
      const list = () => credentials.list(caller, filter, page, include === 'raw');
      if (isRefreshed === 'true') await refreshStatus((await list()).map(({ row }) => row));
      const found = (await list()).map((details) => ({ id: details.row.id, details }));
      return pageAnswer(call, found, page, ({ details }) => renderCredential(details));
    },
  );

  app.get(
    `${CREDENTIALS}/:id`,
    {
      id: 'getCredential',
      summary: 'Show a credential',
      tag,
      rule: 'owner',
      target: ({ caller, params }) => credentials.target(caller, params.id),
      reply: { 200: Credential },
    },
    async ({ target }) => renderCredential(await credentials.show(target)),
  );

  app.delete(
    `${CREDENTIALS}/:id`,
    {
      id: 'deleteCredential',
      summary: 'Purge a credential',
      description: 'Its issuer is not notified.',
      tag,
      rule: 'owner',
      target: ({ caller, params }) => credentials.target(caller, params.id),
      reply: { 204: null },
    },
    ({ caller, target }) => credentials.purge(caller, target),
  );
}
