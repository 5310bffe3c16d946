// The OpenID provider of the service. What serves its requests is loaded with the first of them, and its library with the first that
// needs it: that takes a third of a second and 40 MB, which services that only use the base API do not need.

import type { IncomingHttpHeaders } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Mount, RawExchange } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { FAVICON } from '../../ground/look/index.ts';
import { createApplicationGrants } from '../../openid/application-grants/index.ts';
import {
  createAuthenticator,
  createClientAssertions,
  createClientCertificates,
  createClientKeys,
  createLibraryAssertions,
} from '../../openid/client-authentication/index.ts';
import { createKeyrockCodes } from '../../openid/keyrock/index.ts';
import {
  ACCOUNT,
  CHANGE_PASSWORD,
  CONSOLE,
  DISCOVERY,
  KEYROCK_TOKEN,
  METADATA,
  ROOT,
  WEBSSO,
  WEBSSO_OF_PROVIDERS,
} from '../../openid/paths/index.ts';
import {
  createIntrospection,
  createUserInformation,
  createWalletNode,
  type GrantCounts,
  loadProvider,
} from '../../openid/provider/index.ts';
import { createSignInAttempts } from '../../openid/sign-in-attempts/index.ts';
import { homePage } from './home-page.ts';
import type { OpenidDeps, Serving } from './serving.ts';

/** Revokes an access token of a user, by its listed id. */
async function revoke(
  { change, records }: Pick<OpenidDeps, 'change' | 'records'>,
  actor: Actor,
  userId: string,
  id: string,
): Promise<void> {
  await change(actor, async (transaction) => {
    if (!(await records.destroyOfUser(transaction, userId, 'AccessToken', id))) fail('access_token.not_found');
    transaction.invalidate(tagOf.user(userId));
    transaction.audit('access_token.revoked', { kind: 'user', id: userId });
  });
}

/** Where a request comes from. */
const originOf = ({ address, request: { headers } }: RawExchange) => ({
  address,
  userAgent: headers['user-agent'] ?? '',
  cookies: headers.cookie,
});

/** How clients prove themselves. */
function buildClients(deps: OpenidDeps) {
  const clientKeys = createClientKeys(deps);
  const clientAssertions = createClientAssertions({ ...deps, keys: clientKeys });
  const clientCertificates = createClientCertificates({ ...deps, keys: clientKeys });
  return {
    clientKeys,
    clientAssertions,
    clientCertificates,
    libraryAssertions: createLibraryAssertions(deps.issuer),
    authenticator: createAuthenticator({ ...deps, clientAssertions, clientCertificates }),
  };
}

export function createOpenid(deps: OpenidDeps) {
  const { records, accessTokens, openidKeys: keys, assets } = deps;
  const wallet = createWalletNode(deps);
  const grants: GrantCounts = { good: {}, refused: {} };
  const clients = buildClients(deps);
  let loaded: Serving | undefined;
  async function serving(): Promise<Serving> {
    if (loaded) return loaded;
    const [{ createServing }, { createCurrentProvider }] = await Promise.all([import('./serving.ts'), loadProvider()]);
    // Another request may have been waiting, too.
    loaded ??= createServing(deps, { ...clients, keys, wallet, grants, createCurrentProvider });
    return loaded;
  }
  const provider = async (): Promise<Provider> => (await serving()).provider();
  const mount: Mount = {
    paths: [
      DISCOVERY,
      METADATA,
      CHANGE_PASSWORD,
      FAVICON,
      `${ROOT}/*`,
      ACCOUNT,
      `${ACCOUNT}/*`,
      CONSOLE,
      `${CONSOLE}/*`,
      KEYROCK_TOKEN,
      `${WEBSSO}/*`,
      `${WEBSSO_OF_PROVIDERS}/*`,
    ],
    fromMemory: createUserInformation(deps),
    handle: async (exchange) => {
      const { handle } = loaded ?? (await serving());
      await records.duringRequest(() => handle(exchange), originOf(exchange));
    },
  };
  return {
    mount,
    grants,
    brand: () => assets.brand,
    homePage: (headers: IncomingHttpHeaders) => homePage(headers, assets.brand, wallet.pageAddress()),
    provider,
    records,
    accessTokens,
    applicationGrants: createApplicationGrants(deps),
    signInAttempts: createSignInAttempts(deps),
    introspect: createIntrospection({ ...deps, accessTokens, authenticator: clients.authenticator }),
    keyrockCodes: createKeyrockCodes({ ...deps, provider }),
    registerWallet: wallet.register,
    revoke: (actor: Actor, userId: string, id: string): Promise<void> => revoke(deps, actor, userId, id),
  };
}

export type Openid = ReturnType<typeof createOpenid>;
