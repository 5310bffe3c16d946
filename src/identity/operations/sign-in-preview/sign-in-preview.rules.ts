// What happens when a person signs in now: by which ways, what refuses them, what they are asked next, and for how long they stay.
// Nothing is decided here a second time: each answer is that of the function that a login asks.

import { shownValue } from '../../../platform/config/index.ts';
import { type Access, type AuthMethod, findProject } from '../../access/context/index.ts';
import { type Caller, isAllowed } from '../../access/rules/index.ts';
import { type DomainSettingsModule, optionsByName, type SettingPlace } from '../../directory/domain-settings/index.ts';
import type { Locks } from '../../directory/locks/index.ts';
import type { PasskeyPolicy, Passkeys } from '../../directory/passkeys/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import type { Devices, LoginRequirements } from '../../directory/two-factor/index.ts';
import { isExempt, recipientOf, type Users, type UserWithExpiry } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { WalletSignIn } from '../../login/wallet-sign-in/index.ts';
import type { Terms, TermsAtSignIn } from '../../provisioning/people/index.ts';
import type { StepsAfter } from './next-steps.ts';

/** Settings that decide what happens, in the order in which they are shown. */
const DECIDING = [
  'lock_out.attempts',
  'lock_out.duration',
  'passwords.expires_days',
  'passwords.change_upon_first_use',
  'passkeys.policy',
  'wallet.sign_in',
  'two_factor.policy',
  'two_factor.device_days',
  'sessions.idle_seconds',
  'sessions.seconds',
  'sessions.token_seconds',
  'sessions.access_token_seconds',
  'sessions.refresh_token_seconds',
] as const;

export type NextStep = 'code' | 'passkey' | 'wallet' | 'new_passkey' | 'new_factor' | 'new_password';
type Closed = 'none' | 'off' | 'locked_out' | 'provider_off' | 'account_closed' | 'gone';

export interface Way {
  readonly way: 'password' | 'directory' | 'passkey' | 'wallet' | 'provider';
  /** Undefined: the caller may not know. */
  readonly open: boolean | undefined;
  /** Why it is not open. */
  readonly why?: Closed | undefined;
  /** When it opens by itself, in seconds. */
  readonly until?: number | undefined;
  /** What comes next: one of these. Undefined: the caller may not know. */
  readonly asks: readonly NextStep[] | undefined;
  readonly provider?: { readonly id: string; readonly name: string; readonly isHome: boolean; readonly isLinked: boolean };
}

export interface SignInPreviewOf {
  readonly refusals: readonly string[];
  readonly ways: readonly Way[];
  readonly secondFactor:
    | {
        readonly policy: 'optional' | 'required' | 'exempt';
        readonly enabled: boolean;
        readonly devices: number;
        readonly lockedUntil: number | undefined;
      }
    | undefined;
  /** What they accept in the end, whichever way they come. */
  readonly terms: Terms | undefined;
  readonly pausedUntil: number | undefined;
  readonly settings: readonly { readonly key: string; readonly value: string | null; readonly source: SettingPlace }[];
}

export interface SignInPreviewDeps extends Pick<Deps, 'db'> {
  readonly access: Pick<Access, 'inspect'>;
  readonly domainSettings: DomainSettingsModule;
  readonly locks: Pick<Locks, 'show'>;
  readonly passwords: Pick<Passwords, 'stateOf'>;
  readonly passkeys: Pick<Passkeys, 'list'>;
  readonly passkeyPolicy: PasskeyPolicy;
  readonly devices: Pick<Devices, 'list'>;
  readonly requirements: LoginRequirements;
  readonly directory: { hasPassword(reader: Deps['db']['read'], userId: string): Promise<boolean> };
  readonly users: Pick<Users, 'accountsAtProviders' | 'isInDirectory'>;
  readonly federation: Pick<Federation, 'flows' | 'links'>;
  readonly walletSignIn: Pick<WalletSignIn, 'policy' | 'hasCredential'>;
  readonly termsAtSignIn: Pick<TermsAtSignIn, 'missing'>;
  readonly nextSteps: StepsAfter['nextSteps'];
}

export function createSignInPreview(deps: SignInPreviewDeps) {
  const { db, access, domainSettings, locks, passwords, passkeys, passkeyPolicy, devices, requirements } = deps;
  const { directory, users, federation, walletSignIn, termsAtSignIn, nextSteps } = deps;

  /** After a first step by this method. */
  async function asksAfter(user: UserWithExpiry, method: AuthMethod): Promise<NextStep[]> {
    const methods = [method];
    if (!(await requirements.missing(user, { methods: new Set(methods) }))) return [];
    const { code, passkey, wallet, newPasskey, newFactor } = await nextSteps({ userId: user.id, methods });
    const steps: readonly (readonly [NextStep, boolean])[] = [
      ['code', code],
      ['passkey', passkey],
      ['wallet', wallet],
      ['new_passkey', newPasskey],
      ['new_factor', newFactor],
    ];
    return steps.flatMap(([step, isAsked]) => (isAsked ? [step] : []));
  }

  async function byPassword(user: UserWithExpiry): Promise<Omit<Way, 'asks'> & { readonly isExpired: boolean }> {
    if (await users.isInDirectory(user.id)) {
      const open = await directory.hasPassword(db.read, user.id);
      return { way: 'directory', open, why: open ? undefined : 'gone', isExpired: false };
    }
    const options = parseJson(user.options) as Parameters<Passwords['stateOf']>[1]['options'];
    const state = await passwords.stateOf(db.read, { id: user.id, options });
    if (state === 'none') return { way: 'password', open: false, why: 'none', isExpired: false };
    return { way: 'password', open: true, isExpired: state === 'expired' };
  }

  async function byPasskey(user: UserWithExpiry): Promise<Omit<Way, 'asks'>> {
    if (!(await passkeyPolicy.isAllowed(user))) return { way: 'passkey', open: false, why: 'off' };
    const open = (await passkeys.list(user.id)).length > 0;
    return { way: 'passkey', open, why: open ? undefined : 'none' };
  }

  async function byWallet(user: UserWithExpiry): Promise<Omit<Way, 'asks'>> {
    if (!(await walletSignIn.policy.isAllowed(user, 'first'))) return { way: 'wallet', open: false, why: 'off' };
    const open = (await walletSignIn.hasCredential(user.id)) || (await federation.links.mayBeByWallet(user.id));
    return { way: 'wallet', open, why: open ? undefined : 'none' };
  }

  /** Those with which the account is linked, and the one that the domain of the address leads to. */
  async function byProviders(user: UserWithExpiry): Promise<Omit<Way, 'asks'>[]> {
    const accounts = await users.accountsAtProviders(user.id);
    const linked = new Set(accounts.filter(({ protocol_id }) => protocol_id === 'openid').map(({ idp_id: id }) => id));
    const usable = await federation.links.usableProviders(user.id);
    const { address } = recipientOf(user);
    const home = address === undefined ? undefined : await federation.flows.findByEmail(address);
    const ids = [...new Set([...(home === undefined ? [] : [home]), ...linked])];
    return Promise.all(
      ids.map(async (id) => {
        const open = usable.has(id);
        const isLinked = linked.has(id);
        return {
          way: 'provider' as const,
          open,
          why: open ? undefined : isLinked ? ('provider_off' as const) : ('none' as const),
          provider: { id, name: await federation.flows.nameOf(id, 'openid'), isHome: id === home, isLinked },
        };
      }),
    );
  }

  return async (caller: Caller, user: UserWithExpiry): Promise<SignInPreviewOf> => {
    const domain = (await findProject(db.read, user.domain_id)) ?? fail('domain.not_found', { id: user.domain_id });
    const { settings, places } = domainSettings.inForce(domain);
    const { obstacles } = await access.inspect(user.id, { kind: 'unscoped' });
    const lock = await locks.show(user);
    const lockedBy = (reason: string, state: string) =>
      lock.causes.find((one) => one.reason === reason && one.state === state)?.until;
    const lockedOutUntil = lockedBy('wrong_passwords', 'locked_out');
    const facts = { userId: user.id, domainId: user.domain_id };
    const seesFactors = isAllowed(caller, 'is_two_factor_auth_enabled', facts) && isAllowed(caller, 'list_passkeys', facts);

    const isClosed = obstacles.length > 0;
    async function wayOf(found: Omit<Way, 'asks'>, method: AuthMethod, first: readonly NextStep[] = []): Promise<Way> {
      const isHidden = !seesFactors && found.why !== 'off' && (found.way === 'passkey' || found.way === 'wallet');
      if (isHidden) return { way: found.way, open: undefined, asks: undefined };
      if (found.open && isClosed) return { ...found, open: false, why: 'account_closed', asks: [] };
      if (!found.open) return { ...found, asks: [] };
      return { ...found, asks: seesFactors ? [...first, ...(await asksAfter(user, method))] : undefined };
    }
    const { isExpired, ...password } = await byPassword(user);
    const locked = { ...password, open: false, why: 'locked_out' as const, until: lockedOutUntil };
    const ways = [
      await wayOf(
        password.open && lockedOutUntil !== undefined ? locked : password,
        'password',
        isExpired ? ['new_password'] : [],
      ),
      await wayOf(await byPasskey(user), 'passkey'),
      await wayOf(await byWallet(user), 'wallet'),
    ];
    for (const found of await byProviders(user)) ways.push(await wayOf(found, 'mapped'));

    const values = settings as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    return {
      refusals: obstacles,
      ways,
      secondFactor: seesFactors
        ? {
            policy: settings.two_factor.policy === 'required' && isExempt(user.options) ? 'exempt' : settings.two_factor.policy,
            enabled: await requirements.hasFactor(db.read, user.id),
            devices: (await devices.list(user.id)).length,
            lockedUntil: lockedBy('wrong_codes', 'locked_out'),
          }
        : undefined,
      pausedUntil: lockedBy('wrong_passwords', 'paused'),
      terms: await termsAtSignIn.missing(user.id),
      settings: DECIDING.map((key) => {
        const { group, field, setting } = optionsByName.get(key)!;
        return { key, value: shownValue(setting, values[group]![field]), source: places.get(key)! };
      }),
    };
  };
}

export type SignInPreview = ReturnType<typeof createSignInPreview>;
