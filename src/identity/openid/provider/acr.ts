// How strong a sign-in was (`acr`), by what was used for it (`amr`).
import { SIGN_IN_STRENGTHS } from '../../applications/consumers/index.ts';

/** From weak to strong. A stronger sign-in satisfies a request for a weaker one. The last is phishing-resistant: a passkey was used. */
export const ACR_VALUES: readonly string[] = SIGN_IN_STRENGTHS;

const strengthOf = (amr: readonly string[]): number => (amr.includes('pop') ? 2 : amr.includes('mfa') ? 1 : 0);

/** The values of `acr_values`. */
const requestedAcrs = (parameter: unknown): readonly string[] =>
  typeof parameter === 'string' ? parameter.split(' ').filter((value) => value !== '') : [];

/** What an application asks of a sign-in. */
export interface AcrRequest {
  readonly values: readonly string[];
  /** Without one of the values, the sign-in fails. Otherwise it is a wish. */
  readonly isEssential: boolean;
}

interface AcrClaim {
  readonly essential?: unknown;
  readonly value?: unknown;
  readonly values?: unknown;
}

/** `acr` in the part for the ID token of the parameter `claims` (OpenID Connect Core, 5.5). */
export function acrClaimOf(parameter: unknown): AcrClaim {
  if (typeof parameter !== 'string') return {};
  try {
    return (JSON.parse(parameter) as { id_token?: { acr?: AcrClaim | null } | null } | null)?.id_token?.acr ?? {};
  } catch {
    return {};
  }
}

/** By `acr_values`, and by `claims`. An essential claim counts alone (OpenID Connect Core, 5.5.1.1). */
export function acrRequestOf(params: { readonly acr_values?: unknown; readonly claims?: unknown } | undefined): AcrRequest {
  const { essential, value, values } = acrClaimOf(params?.claims);
  const claimed = [value, ...(Array.isArray(values) ? (values as unknown[]) : [])].filter((one) => typeof one === 'string');
  if (essential === true && claimed.length > 0) return { values: claimed, isEssential: true };
  return { values: [...requestedAcrs(params?.acr_values), ...claimed], isEssential: false };
}

/** Whether the sign-in was at least as strong as one of the values. */
export const satisfies = (amr: readonly string[], values: readonly string[]): boolean =>
  values.some((value) => ACR_VALUES.slice(0, strengthOf(amr) + 1).includes(value));

/** The weakest sign-in that satisfies the request; 0 when it names none of our values. */
const requestedStrength = (requested: readonly string[]): number => {
  const known = requested.map((value) => ACR_VALUES.indexOf(value)).filter((at) => at >= 0);
  return known.length === 0 ? 0 : Math.min(...known);
};

/** What is missing to satisfy a request: the strength it needs, or 0. */
export const missingStrength = (amr: readonly string[], requested: readonly string[]): number => {
  const needed = requestedStrength(requested);
  return strengthOf(amr) >= needed ? 0 : needed;
};

/** The first requested value that the sign-in satisfies. Applications compare it with what they requested. Else its own. */
export const acrOf = (amr: readonly string[], requested: readonly string[]): string =>
  requested.find((value) => ACR_VALUES.slice(0, strengthOf(amr) + 1).includes(value)) ?? ACR_VALUES[strengthOf(amr)]!;

/** Another provider vouched for the person. RFC 8176 has no value for it; other providers use this one. */
export const FEDERATED = 'fed';

/** A credential was shown from a wallet, bound to its key. RFC 8176 has no value for that; `pop` means more to our applications. */
export const WALLET = 'wallet';

/** By the values of RFC 8176. */
export function amrOf(methods: readonly string[], passkey?: { readonly isSynced: boolean }): string[] {
  const first = [
    ...(methods.includes('mapped') ? [FEDERATED] : []),
    ...(methods.includes('password') ? ['pwd'] : []),
    ...(methods.includes('wallet') ? [WALLET] : []),
  ];
  const isSecond = methods.includes('wallet') && first.length > 1;
  const code = methods.includes('totp');
  if (!methods.includes('passkey'))
    return [...(first.length > 0 ? first : ['pwd']), ...(code ? ['otp', 'mfa'] : isSecond ? ['mfa'] : [])];
  const known = [...first, ...(code ? ['otp'] : []), 'pop'];
  // Alone, the passkey is one factor, and the person who unlocked it the other.
  return first.length > 0 ? [...known, 'mfa'] : [...known, 'user', ...(passkey ? [passkey.isSynced ? 'swk' : 'hwk'] : []), 'mfa'];
}

/** For a session in which a code was given later. */
export const withCode = (amr: readonly string[]): string[] => [...new Set([...amr, 'otp', 'mfa'])];

/** The methods behind the `amr` of a session. */
export const methodsOf = (amr: readonly string[]): ('mapped' | 'password' | 'totp' | 'passkey' | 'wallet')[] => [
  ...(amr.includes(FEDERATED) ? (['mapped'] as const) : []),
  ...(amr.includes('pwd') ? (['password'] as const) : []),
  ...(amr.includes(WALLET) ? (['wallet'] as const) : []),
  ...(amr.includes('otp') ? (['totp'] as const) : []),
  ...(amr.includes('pop') ? (['passkey'] as const) : []),
];
