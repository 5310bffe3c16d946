// What operators of issuers and of authorization servers need, to let the wallets of this node in. Public, as documents of DIDs are.
import { Answer, t } from '../../platform/http/index.ts';
import type { WalletApp } from '../access/index.ts';
import type { Attester } from './attester.ts';

const tag = 'Documents';
const Jwks = t.object({ keys: t.array(t.open({ kty: t.string(), kid: t.string() })) });
const WalletClient = t.object({
  client_id: t.string(),
  redirect_uris: t.array(t.string()),
  jwks_uri: t.string({ description: 'The keys by which it authenticates (`private_key_jwt`).' }),
  attester: t.object(
    {
      name: t.string(),
      jwks: Jwks,
      chain: t.array(t.string(), { description: 'Certificates (DER in base64), that of the key first, without the root.' }),
      root: t.nullable(t.string({ description: 'The root of the development CA in PEM. Null if a chain was brought.' })),
    },
    {},
    { description: 'Who attests the wallets of this node and their keys: the node itself.' },
  ),
});

/** Short: a key may be revoked. */
const headers = { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' };
const JWKS = '/.well-known/wallet-client/jwks.json';

export interface AttesterModules {
  readonly attester: Attester;
  readonly walletClient: () => { readonly clientId: string; readonly redirectUri: string };
  readonly publicUrl: () => string;
}

export function mountAttester(app: WalletApp, { attester, walletClient, publicUrl }: AttesterModules): void {
  app.get(
    '/.well-known/wallet-client',
    {
      id: 'getWalletClient',
      summary: 'Show the wallets of this node as a client of issuers',
      description:
        'For those who operate issuers and authorization servers: client id, redirect address, keys, and who attests it.',
      tag,
      rule: 'anyone',
      reply: { 200: WalletClient },
    },
    async () => {
      const { clientId, redirectUri } = walletClient();
      const { root = null, ...shown } = await attester.shown();
      const body = {
        client_id: clientId,
        redirect_uris: [redirectUri],
        jwks_uri: `${publicUrl()}${JWKS}`,
        attester: { ...shown, root },
      };
      return new Answer({ headers, body });
    },
  );
  app.get(
    JWKS,
    {
      id: 'getWalletClientKeys',
      summary: 'Show the keys by which the wallets of this node authenticate',
      tag,
      rule: 'anyone',
      reply: { 200: Jwks },
    },
    async () => new Answer({ headers, body: await attester.clientKeys() }),
  );
}

t.name({ WalletClient, WalletClientKeys: Jwks });
