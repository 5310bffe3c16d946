// Identity providers as a whole, as administrators see them: added in one transaction, with the people who are linked with them.

import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { IdentityProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, foundPage, pageOf } from '../../ground/resource/index.ts';
import { OPENID, OPENID4VP } from './assertion.ts';
import type { IdentityProviders } from './identity-providers.rules.ts';
import { lockIdentityProvider } from './identity-providers.store.ts';
import type { ProviderLinks } from './links.rules.ts';
import type { Mappings } from './mappings.rules.ts';
import type { OpenidSettings } from './openid-settings.rules.ts';
import type { Protocols } from './protocols.rules.ts';
import type { CreateSignInProvider } from './sign-in-providers.schema.ts';
import {
  findLinkOfProvider,
  findSignInProvider,
  listLinkedPeople,
  listSignInProviders,
  type SignInProviderRow,
} from './sign-in-providers.store.ts';

import type { WalletSettings } from './wallet-settings.rules.ts';

export interface SignInProviderDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly identityProviders: Pick<IdentityProviders, 'insert'>;
  readonly mappings: Pick<Mappings, 'insert'>;
  readonly protocols: Pick<Protocols, 'insert'>;
  readonly openidSettings: Pick<OpenidSettings, 'prepare' | 'write'>;
  readonly walletSettings: Pick<WalletSettings, 'write'>;
  readonly links: Pick<ProviderLinks, 'end'>;
  endSessionsOf(transaction: Change, providerId: string): Promise<void>;
}

export function createSignInProviders(deps: SignInProviderDeps) {
  const { db, clock, change, identityProviders, mappings, protocols, openidSettings, walletSettings, links, endSessionsOf } =
    deps;

  return {
    async list(query: Query) {
      return foundPage(query, await listSignInProviders(db, pageOf(query)));
    },

    /** All of it, or nothing. */
    async add(
      caller: Caller,
      { id, mapping, openid, openid4vp, ...provider }: Static<typeof CreateSignInProvider>['sign_in_provider'],
    ): Promise<SignInProviderRow> {
      if (!openid && !openid4vp) fail('request.bad_value', { field: 'openid', why: 'there must be openid, openid4vp, or both' });
      const prepared = openid ? await openidSettings.prepare(id, openid) : [];
      await change(caller, async (transaction) => {
        await identityProviders.insert(transaction, id, provider);
        await mappings.insert(transaction, id, mapping);
        if (openid) {
          await protocols.insert(transaction, { id }, OPENID, { mapping_id: id });
          await openidSettings.write(transaction, id, openid, { prepared });
        }
        if (openid4vp) {
          await protocols.insert(transaction, { id }, OPENID4VP, { mapping_id: id });
          await walletSettings.write(transaction, id, openid4vp);
        }
      });
      return (await findSignInProvider(db.read, id)) ?? fail('identity_provider.not_found', { id });
    },

    async people({ id }: IdentityProviderRow, query: Query) {
      return foundPage(query, await listLinkedPeople(db, { providerId: id, now: seconds(clock) }, pageOf(query)));
    },

    /** Also if it is the only way in: an administrator may close accounts, too. */
    unlink: (caller: Caller, { id: providerId }: IdentityProviderRow, id: string): Promise<void> =>
      change(caller, async (transaction) => {
        const missing = (): never => fail('provider_link.not_found', { id });
        const { user_id: userId } = (await findLinkOfProvider(transaction.tx, providerId, id)) ?? missing();
        await links.end(transaction, { userId, id, missing });
      }),

    /** Whoever came through the provider signs in again, at the pages and at the API. */
    endSessions: (caller: Caller, { id }: IdentityProviderRow): Promise<void> =>
      change(caller, async (transaction) => {
        if (!(await lockIdentityProvider(db, transaction.tx, id))) fail('identity_provider.not_found', { id });
        await endSessionsOf(transaction, id);
        transaction.invalidate(tagOf.identityProvider(id));
        transaction.audit('identity_provider.sessions_ended', { kind: 'identity_provider', id });
      }),
  };
}

export type SignInProviders = ReturnType<typeof createSignInProviders>;
