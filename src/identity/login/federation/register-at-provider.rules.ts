// The service registers itself at a provider (RFC 7591), with its redirect address, its keys and the ways that are chosen.
import type { Static } from '../../../platform/http/index.ts';
import { providerErrorOf, RegistrationRefused, registerClient } from '../../../platform/openid-client/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { IdentityProviderRow, OpenidProviderRow, ProviderKeyRow } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { optionsOf, optionsToStore } from './client-options.ts';
import { lockIdentityProvider } from './identity-providers.store.ts';
import { checkIssuer, isOtherProvider, type OpenidSettings } from './openid-settings.rules.ts';
import { callbackPath, initiateLoginPath, keysPath, logoutPath, renderOpenidSettings } from './openid-settings.schema.ts';
import { findOpenidSettings } from './openid-settings.store.ts';
import type { ProviderKeys } from './provider-keys.rules.ts';
import type { ProviderRegistrations } from './provider-registrations.rules.ts';
import type { RegisterAtProvider } from './provider-registrations.schema.ts';

type RegistrationBody = Static<typeof RegisterAtProvider>['registration'];
type ToRegister = NonNullable<RegistrationBody['openid']>;

const failed = (problem: unknown): never => {
  if (problem instanceof Fault) throw problem;
  if (problem instanceof RegistrationRefused) return fail('identity_provider.not_registered', { why: problem.message });
  const refusal = providerErrorOf(problem);
  const why =
    refusal !== undefined && /^[\w-]{1,100}$/.test(refusal) ? `it answered ${refusal}` : 'it did not answer as it should';
  return fail('identity_provider.not_registered', { why }, { reason: `registration: ${(problem as Error).message}` });
};

export function createRegisterAtProvider(
  deps: Pick<Deps, 'db' | 'change'> & {
    readonly outbound: Outbound;
    issuer(): string;
    readonly keys: Pick<ProviderKeys, 'prepare' | 'publish' | 'takeBack'>;
    readonly registrations: ProviderRegistrations;
    readonly openidSettings: Pick<OpenidSettings, 'put'>;
  },
) {
  const { db, change, outbound, issuer, keys, registrations, openidSettings } = deps;

  const storedSettings = (row: OpenidProviderRow): ToRegister => {
    const { client_id: _, has_client_secret: __, links: ___, ...rest } = renderOpenidSettings('', '', row);
    const { redirect_uri: _r, backchannel_logout_uri: _b, initiate_login_uri: _i, jwks_uri: _j, ...settings } = rest;
    return settings;
  };

  /** Keys that were published for nothing, unless somebody has written settings since, which may need them. */
  async function takeBack(
    { id }: IdentityProviderRow,
    { prepared, formerVersion }: { readonly prepared: readonly ProviderKeyRow[]; readonly formerVersion: number | undefined },
  ): Promise<void> {
    if (prepared.length === 0) return;
    await db.write(async (tx) => {
      if (!(await lockIdentityProvider(db, tx, id))) return;
      if ((await findOpenidSettings(tx, id))?.version === formerVersion) await keys.takeBack(tx, prepared);
    });
  }

  /** Registers the service there, as the settings say, or as those that are stored. */
  return async function register(
    caller: Caller,
    provider: IdentityProviderRow,
    { initial_access_token: token, openid }: RegistrationBody,
  ): Promise<OpenidProviderRow> {
    const { id } = provider;
    const former = await findOpenidSettings(db.read, id);
    const body = openid ?? (former ? storedSettings(former) : fail('openid_provider.not_found', { id }));
    checkIssuer(body.issuer);
    // Which client it will be is not known yet: what is not said stays, if the provider is the same.
    const isSame = former?.issuer === body.issuer;
    const chosen = optionsToStore({ ...body, client_id: former?.client_id ?? '' }, isSame ? former : undefined);
    const way = optionsOf({ client_options: chosen });
    // Before, because the provider reads them while it registers us. Those that are in use stay until that is done.
    const prepared = await keys.prepare(id, way, { isOther: isOtherProvider(former, body) });
    const formerVersion = former?.version;
    if (prepared.length > 0)
      await change(caller, async (transaction) => {
        await keys.publish(transaction, prepared);
        transaction.audit('identity_provider.keys_replaced', { kind: 'identity_provider', id }, { at_once: false });
      });
    const own = issuer();
    const made = await registerClient(
      {
        issuer: body.issuer,
        way,
        initialAccessToken: token ?? undefined,
        redirectUri: own + callbackPath(id),
        metadata: {
          client_name: new URL(own).host,
          client_uri: own,
          scope: [...new Set(['openid', ...(body.scopes ?? ['profile', 'email'])])].join(' '),
          backchannel_logout_uri: own + logoutPath(id),
          ...(body.accepts_initiated_login === true ? { initiate_login_uri: own + initiateLoginPath(id) } : {}),
          ...(way.client_authentication === 'private_key_jwt' || way.request_form.startsWith('signed')
            ? { jwks_uri: own + keysPath(id) }
            : {}),
        },
      },
      outbound,
    ).catch(async (error: unknown) => {
      await takeBack(provider, { prepared, formerVersion });
      return failed(error);
    });
    const { profile, client_authentication } = { ...way, client_authentication: made.clientAuthentication };
    const settings = {
      ...body,
      ...(JSON.parse(chosen) as Partial<typeof way>),
      ...(profile === 'none' ? { client_authentication } : {}),
      client_id: made.clientId,
      client_secret: made.clientSecret ?? null,
    };
    try {
      const registered = { ...made, formerVersion, keys: prepared.map((key) => key.id) };
      return await openidSettings.put(caller, provider, settings, { registered });
    } catch (error) {
      await takeBack(provider, { prepared, formerVersion });
      // It may have failed after it was stored.
      if ((await findOpenidSettings(db.read, id))?.client_id !== made.clientId) await registrations.remove(id, made.handle);
      throw error;
    }
  };
}
