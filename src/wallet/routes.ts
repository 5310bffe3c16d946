// Every route of the wallet node.

import { Answer, t } from '../platform/http/index.ts';
import type { WalletApp } from './access/index.ts';
import { mountAttester } from './attester/index.ts';
import { mountCredentials } from './credentials/index.ts';
import { mountDids, mountNode } from './dids/index.ts';
import { mountExchanges } from './exchanges/index.ts';
import { mountIssuance } from './issuance/index.ts';
import { mountKeys } from './keys/index.ts';
import type { WalletPages } from './pages/index.ts';
import { mountPresentations } from './presentation/index.ts';
import { mountDocuments } from './publication/index.ts';
import { mountSession } from './session/index.ts';

const ADDRESSES = {
  service: 'Gatehouse wallet node',
  did: '/.well-known/did.json',
  login: '/api/v1/auth/login',
  userinfo: '/api/v1/auth/userinfo',
  api: '/openapi.json',
};
const Root = t.object({ service: t.string(), did: t.string(), login: t.string(), userinfo: t.string(), api: t.string() });

const MOUNTS = [
  mountDocuments,
  mountSession,
  mountKeys,
  mountDids,
  mountNode,
  mountAttester,
  mountCredentials,
  mountIssuance,
  mountPresentations,
  mountExchanges,
] as const;

/** What all of them need together, and the pages. */
export type WalletRouteDeps = ((typeof MOUNTS)[number] extends (app: WalletApp, modules: infer Modules) => void
  ? Modules
  : never) & {
  readonly pages: Pick<WalletPages, 'documentFor' | 'wantsPage'>;
};

export function mountWallet(app: WalletApp, modules: WalletRouteDeps): void {
  app.get(
    '/',
    {
      id: 'getAddresses',
      summary: 'List the main addresses of the service',
      description: 'Browsers get the pages of the wallet.',
      tag: 'Documents',
      rule: 'anyone',
      documentation: { otherTypes: ['text/html'] },
      reply: { 200: Root },
    },
    ({ headers }) => {
      if (!modules.pages.wantsPage(headers.accept)) return new Answer({ headers: { Vary: 'Accept' }, body: ADDRESSES });
      const { text, headers: ofPage } = modules.pages.documentFor(headers['accept-language']);
      return new Answer({ headers: { ...ofPage, Vary: 'Accept, Accept-Language' }, text });
    },
  );
  for (const mount of MOUNTS) mount(app, modules);
}

t.name({ ServiceAddresses: Root });
