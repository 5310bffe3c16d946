// Offers: what a person's wallet scans or follows to receive credentials (OID4VCI, 4).
import { randomBytes, randomInt } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { ConfigError } from '../../../platform/config/index.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Caller } from '../../access/rules/index.ts';
import { isRedirectUri } from '../../applications/consumers/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { PRE_AUTHORIZED } from '../../openid/paths/index.ts';
import { ISSUER_STATE_MODEL, OFFER_MODEL, PRE_AUTHORIZED_MODEL } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { CredentialType, CredentialTypes } from '../types/index.ts';
import type { Configurations, CredentialConfiguration } from './configurations.ts';
import { OFFERS } from './paths.ts';

const TX_CODE_DIGITS = 6;
/** Offers that can be used at the same time: of one person. */
const MAX_OPEN = 20;

export type OfferGrant = 'pre-authorized_code' | 'authorization_code';

export interface OfferWish {
  readonly configurationIds: readonly string[];
  readonly grant: OfferGrant;
  /** Only with a pre-authorized code. */
  readonly hasTxCode: boolean;
  /** Where the person finds that code, in their language: the wallet asks for it on another page, or on another device. */
  readonly txCodeHint?: string;
}

export interface MadeOffer extends OfferWish {
  /** The link for wallets. */
  readonly uri: string;
  readonly txCode: string | undefined;
  /** In seconds. */
  readonly expiresAt: number;
}

/** A type of which a person has a role, in at least one format. */
export interface AvailableCredential {
  readonly type: CredentialType;
  readonly configurations: readonly CredentialConfiguration[];
}

export interface OffersDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly records: Records;
  readonly types: Pick<CredentialTypes, 'availableTo'>;
  readonly configurations: Pick<Configurations, 'of'>;
  readonly config: Pick<IdentityConfig, 'credentialOfferSeconds' | 'credentialOfferLink'>;
  issuer(): string;
}

/** Throws ConfigError if no wallet would open offers. */
export function refuseOfferLink({ credentialOfferLink }: Pick<IdentityConfig, 'credentialOfferLink'>): void {
  if (!isRedirectUri(credentialOfferLink))
    throw new ConfigError(
      'GATEHOUSE_IDENTITY_CREDENTIAL_OFFER_LINK must be a scheme such as haip-vci://, or the https address of a wallet',
    );
}

const newTxCode = (): string => String(randomInt(10 ** TX_CODE_DIGITS)).padStart(TX_CODE_DIGITS, '0');

export function createOffers(deps: OffersDeps) {
  const { db, clock, change, records, types, config, issuer } = deps;

  async function available(userId: string): Promise<readonly AvailableCredential[]> {
    const byType = Map.groupBy(await deps.configurations.of(await types.availableTo(userId)), ({ type }) => type);
    return [...byType].map(([type, configurations]) => ({ type, configurations }));
  }

  /** The secret part of an offer, and its record. */
  async function addGrant(
    transaction: Change,
    userId: string,
    { grant, hasTxCode, txCodeHint, configurationIds }: OfferWish,
    offerId: string,
  ): Promise<{ grants: object; txCode?: string }> {
    const payload = { accountId: userId, configurationIds, offerId };
    if (grant === 'authorization_code') {
      const state = newSecret();
      await records.add(transaction, { model: ISSUER_STATE_MODEL, id: state, payload, lifetime: config.credentialOfferSeconds });
      return { grants: { authorization_code: { issuer_state: state } } };
    }
    const code = newSecret();
    const txCode = hasTxCode ? newTxCode() : undefined;
    const stored = { ...payload, ...(txCode === undefined ? {} : { txCode }) };
    await records.add(transaction, {
      model: PRE_AUTHORIZED_MODEL,
      id: code,
      payload: stored,
      lifetime: config.credentialOfferSeconds,
    });
    const asked = {
      input_mode: 'numeric',
      length: TX_CODE_DIGITS,
      ...(txCodeHint === undefined ? {} : { description: txCodeHint }),
    };
    return {
      grants: { [PRE_AUTHORIZED]: { 'pre-authorized_code': code, ...(txCode === undefined ? {} : { tx_code: asked }) } },
      ...(txCode === undefined ? {} : { txCode }),
    };
  }

  return {
    available,

    /** `actor`: as `caller`, if nothing about the account changed since. */
    async make(caller: Pick<Caller, 'userId'>, actor: Actor, userId: string, wish: OfferWish): Promise<MadeOffer> {
      // Whoever redeems a pre-authorized code gets the credentials of the person: an administrator would become them. Their own sign-in
      // and consent is what an offer of others needs.
      if (wish.grant === 'pre-authorized_code' && caller.userId !== userId) fail('role_credential.offer_in_person');
      const known = (await available(userId)).flatMap(({ configurations }) => configurations.map(({ id }) => id));
      const unknown = wish.configurationIds.find((id) => !known.includes(id));
      if (unknown !== undefined) fail('role_credential.not_available', { id: unknown });
      const id = randomBytes(16).toString('base64url');
      return change(actor, async (transaction) => {
        // They are counted one after the other.
        await takeAdvisoryLock(db, transaction.tx, `offers to ${userId}`);
        let open = 0;
        for (const model of [PRE_AUTHORIZED_MODEL, ISSUER_STATE_MODEL])
          open += (await records.listOfUserIn(transaction, userId, model)).filter(
            ({ payload }) => payload.consumed === undefined,
          ).length;
        if (open >= MAX_OPEN) fail('role_credential.too_many_offers', { most: MAX_OPEN });
        const { grants, txCode } = await addGrant(transaction, userId, wish, id);
        const offer = { credential_issuer: issuer(), credential_configuration_ids: wish.configurationIds, grants };
        await records.add(transaction, {
          model: OFFER_MODEL,
          id,
          payload: { accountId: userId, offer },
          lifetime: config.credentialOfferSeconds,
        });
        transaction.audit(
          'credential_offer.created',
          { kind: 'user', id: userId },
          { configurations: wish.configurationIds, grant: wish.grant },
        );
        return {
          ...wish,
          uri: `${config.credentialOfferLink}${config.credentialOfferLink.includes('?') ? '&' : '?'}credential_offer_uri=${encodeURIComponent(`${issuer()}${OFFERS}/${id}`)}`,
          txCode,
          expiresAt: seconds(clock) + config.credentialOfferSeconds,
        };
      });
    },

    /** The offer that a wallet fetches. Whoever has its address has scanned it. */
    async find(id: string): Promise<object> {
      const found = await records.find(OFFER_MODEL, id);
      return (found?.offer as object | undefined) ?? fail('route.not_found');
    },
  };
}

export type Offers = ReturnType<typeof createOffers>;
