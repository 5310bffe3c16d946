// Every route of the wallet node.

import { t } from '../platform/http/index.ts';
import type { WalletApp } from './access/index.ts';
import { mountCredentials } from './credentials/index.ts';
import type { Deps } from './deps.ts';
import { mountDids, mountDocuments } from './dids/index.ts';
import { mountExchanges } from './exchanges/index.ts';
import { mountIssuance } from './issuance/index.ts';
import { mountKeys } from './keys/index.ts';
import { mountPresentations } from './presentation/index.ts';
import { mountSession } from './session/index.ts';

const Root = t.object({ service: t.string(), did: t.string(), login: t.string(), userinfo: t.string() });

export function mountWallet(app: WalletApp, deps: Deps): void {
  app.get('/', { summary: 'Where things are', tag: 'Documents', access: 'anyone', reply: { 200: Root } }, () => ({
    service: 'Gatehouse wallet node',
    did: '/.well-known/did.json',
    login: '/api/v1/auth/login',
    userinfo: '/api/v1/auth/userinfo',
  }));
  mountDocuments(app, deps);
  mountSession(app, deps);
  mountKeys(app, deps);
  mountDids(app, deps);
  mountCredentials(app, deps);
  mountIssuance(app, deps);
  mountPresentations(app, deps);
  mountExchanges(app, deps);
}
