// Accounts at providers that an administrator names for a new user, as in Keystone. Whoever has one of them signs in as this user.
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import { tagOf } from '../../access/context/index.ts';
import { type Caller, permit } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProviderLinkRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Notify } from '../../ground/notifications/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { OPENID } from './assertion.ts';
import { NO_ENTITLEMENTS } from './entitlements.rules.ts';
import { findProtocol, holdIdentityProvider } from './identity-providers.store.ts';
import { insertLink } from './links.store.ts';
import { findOpenidSettings } from './openid-settings.store.ts';

/** As Keystone has it. */
export interface FederatedObject {
  readonly idp_id: string;
  readonly protocols: readonly { readonly protocol_id: string; readonly unique_id: string }[];
}

export function createAdvanceLinks({ db, notify }: Pick<Deps, 'db'> & { readonly notify: Notify }) {
  const refuse = (why: string): never => fail('request.bad_value', { field: 'federated', why });

  /**
   * Whose subjects they are. Other protocols are stored and not served; the OpenID settings may follow (`nameIssuer`). Credentials from wallets
   * are of several issuers and several claims, which the id does not name.
   */
  const issuerOf = async ({ tx }: Change, providerId: string, protocolId: string): Promise<string> =>
    protocolId === OPENID ? ((await findOpenidSettings(tx, providerId))?.issuer ?? '') : `protocol:${protocolId}`;

  async function insert({ tx }: Change, row: ProviderLinkRow): Promise<void> {
    try {
      await insertLink(tx, row);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      fail('resource.duplicate', { kind: 'federated_user', field: 'unique_id', value: row.subject });
    }
  }

  return {
    /**
     * The work to do in the transaction that creates the user. Only for those who may change providers: anybody else who creates users could
     * wait for people in accounts that are linked with theirs.
     */
    prepare(caller: Caller, federated: readonly FederatedObject[]) {
      permit(caller, 'identity:update_identity_provider');
      return async (transaction: Change, user: { readonly id: string; readonly name: string }): Promise<void> => {
        const { tx, now, audit, invalidate } = transaction;
        // In the same order for everybody, since each is held.
        for (const { idp_id: providerId, protocols } of [...federated].sort((one, other) =>
          one.idp_id < other.idp_id ? -1 : 1,
        )) {
          if (!(await holdIdentityProvider(db, tx, providerId))) refuse(`there is no identity provider ${providerId}`);
          for (const { protocol_id: protocolId, unique_id: subject } of protocols) {
            if (!(await findProtocol(tx, providerId, protocolId)))
              refuse(`the identity provider ${providerId} has no protocol ${protocolId}`);
            const id = newId();
            await insert(transaction, {
              id,
              provider_id: providerId,
              issuer: await issuerOf(transaction, providerId, protocolId),
              subject,
              protocol_id: protocolId,
              user_id: user.id,
              label: user.name,
              given: JSON.stringify(NO_ENTITLEMENTS),
              by_address: 0,
              created_at: now,
              last_used_at: null,
            });
            audit('user.provider_linked', { kind: 'user', id: user.id }, { identity_provider_id: providerId, link_id: id });
            await notify(transaction, 'provider.linked', user.id);
          }
        }
        invalidate(tagOf.user(user.id));
      };
    },
  };
}

export type AdvanceLinks = ReturnType<typeof createAdvanceLinks>;
