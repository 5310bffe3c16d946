// The settings of domains as a list, by names such as `ldap.url`.
import type { Setting } from '../../../platform/config/index.ts';
import { type IdentityConfig, identitySettings, machineSettings } from '../../ground/settings/index.ts';
import { domainSections, OF_SERVICE } from './sections.ts';

export type SettingGroupOfDomain = keyof typeof domainSections;

export interface DomainOption {
  readonly name: string;
  readonly group: SettingGroupOfDomain;
  /** In the code. */
  readonly field: string;
  readonly setting: Setting<unknown>;
  /** The setting of the service that is in force where the domain has none. */
  readonly ofService: keyof IdentityConfig | undefined;
}

export const optionName = (group: string, option: string): string => `${group}.${option}`;

/** Paths are those of the machine, which administrators of the service do not know, and which other replicas may not have. */
export const OF_MACHINE: ReadonlySet<string> = new Set(['ldap.tls_cacertfile', 'ldap.tls_cacertdir']);

export const domainOptions: readonly DomainOption[] = Object.entries(domainSections).flatMap(([group, section]) =>
  Object.entries(section).map(([field, setting]) => ({
    name: optionName(group, setting.key),
    group: group as SettingGroupOfDomain,
    field,
    setting: setting as Setting<unknown>,
    ofService: (OF_SERVICE as Readonly<Record<string, Readonly<Record<string, keyof IdentityConfig>>>>)[group]?.[field],
  })),
);

export const optionsByName: ReadonlyMap<string, DomainOption> = new Map(domainOptions.map((option) => [option.name, option]));

export const serviceKeyOf = ({ ofService }: DomainOption): string | undefined => ofService && identitySettings[ofService].key;

/** The machine has the longest time, which is no choice that somebody made against a shorter one. */
export const isOfMachine = ({ ofService }: DomainOption): boolean => ofService !== undefined && ofService in machineSettings;

/** Whether it says where the people of the domain are. These go together: they are the operator's or the domain's, never of both. */
export const isOfDirectory = ({ group }: Pick<DomainOption, 'group'>): boolean => group === 'identity' || group === 'ldap';

const DAY = 86_400;
const atLeast = (value: unknown, than: unknown): boolean => Number(value) >= Number(than);
/** Not set means that there is no limit. */
const atMost = (value: unknown, than: unknown): boolean =>
  than === undefined || (value !== undefined && Number(value) <= Number(than));
/** From the most open to the strictest. */
const upTo =
  (...order: readonly string[]) =>
  (value: unknown, than: unknown): boolean =>
    order.indexOf(String(value)) >= order.indexOf(String(than));
/** Nothing is looser or stricter. */
const always = (): boolean => true;
const isSame = (value: unknown, than: unknown): boolean => String(value ?? '') === String(than ?? '');

const someOf = (value: unknown, than: unknown): boolean =>
  (value as readonly string[]).every((one) => (than as readonly string[]).includes(one));
/** `https` is every host, `*.example.org` those below it. */
const isRedirectWithin = (one: string, outer: readonly string[]): boolean =>
  outer.includes(one) ||
  (one !== 'loopback' &&
    one !== 'https' &&
    outer.some((other) => other === 'https' || (other.startsWith('*.') && one.endsWith(other.slice(1)))));

/**
 * Whether a value is at least as strict as another one. What is not here has no order: managers of domains may only have the other one.
 * Patterns among them: some take for ever. Passkeys that are off leave less secure ways in, so that counts as open.
 */
const STRICTER: Readonly<Record<string, (value: unknown, than: unknown) => boolean>> = {
  'passwords.min_length': atLeast,
  'passwords.common': upTo('allow', 'refuse'),
  'passwords.unique_last_count': atLeast,
  'passwords.minimum_age': atLeast,
  'passwords.expires_days': atMost,
  'passwords.change_upon_first_use': atLeast,
  // Whoever knows a name can lock its person out: a manager lets nobody do that after a slip of the finger, or for longer than a day.
  'lock_out.attempts': (value, than) => atMost(value, than) && Number(value) >= 3,
  'lock_out.duration': (value, than) => atLeast(value, than) && Number(value) <= DAY,
  'two_factor.policy': upTo('optional', 'required'),
  'two_factor.device_days': atMost,
  'sessions.idle_seconds': atMost,
  'sessions.seconds': atMost,
  'sessions.token_seconds': atMost,
  'sessions.access_token_seconds': atMost,
  'sessions.refresh_token_seconds': atMost,
  'registration.mode': upTo('open', 'invitation', 'off'),
  'registration.allowed_email_domains': (value, than) => {
    const [own, outer] = [value as readonly string[], than as readonly string[]];
    return outer.length === 0 || (own.length > 0 && own.every((domain) => outer.includes(domain)));
  },
  'registration.confirmed_by': upTo('person', 'administrator'),
  'registration.given_name': upTo('off', 'optional', 'required'),
  'registration.family_name': upTo('off', 'optional', 'required'),
  'registration.language': upTo('off', 'optional', 'required'),
  'application_registration.mode': upTo('open', 'token', 'off'),
  'application_registration.documents': upTo('allowed', 'off'),
  'application_registration.redirects': (value, than) =>
    (value as readonly string[]).every((one) => isRedirectWithin(one, than as readonly string[])),
  'application_registration.grants': someOf,
  'application_registration.scopes': someOf,
  'application_registration.limit': atMost,
  'application_registration.days': atMost,
  'passkeys.policy': upTo('off', 'allowed', 'required_for_administrators'),
  'wallet.sign_in': (value, than) => value === 'off' || than === 'both' || isSame(value, than),
  'account.deletion': upTo('allowed', 'off'),
  'account.deletion_grace_days': atLeast,
  'look.name': always,
  'look.color': always,
  'look.language': always,
  'look.help_url': always,
  'look.terms_url': always,
  'look.privacy_url': always,
};

export const isAsStrict = ({ name }: DomainOption, value: unknown, than: unknown): boolean =>
  (STRICTER[name] ?? isSame)(value, than);

/** What no domain has longer or looser than the service, whoever says so. */
export const isCapped = ({ group }: Pick<DomainOption, 'group'>): boolean => group === 'sessions' || group === 'two_factor';
