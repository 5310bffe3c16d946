// How strong a sign-in was (`acr`), by what was used for it (`amr`).

/** From weak to strong. A stronger sign-in satisfies a request for a weaker one. The last is phishing-resistant: a passkey was used. */
export const ACR_VALUES: readonly string[] = ['https://refeds.org/profile/sfa', 'https://refeds.org/profile/mfa', 'phr'];

const strengthOf = (amr: readonly string[]): number => (amr.includes('pop') ? 2 : amr.includes('mfa') ? 1 : 0);

/** The values of `acr_values`. */
export const requestedAcrs = (parameter: unknown): readonly string[] =>
  typeof parameter === 'string' ? parameter.split(' ').filter((value) => value !== '') : [];

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

/** By the values of RFC 8176. */
export function amrOf(methods: readonly string[], passkey?: { readonly isSynced: boolean }): string[] {
  const first = [...(methods.includes('mapped') ? [FEDERATED] : []), ...(methods.includes('password') ? ['pwd'] : [])];
  const code = methods.includes('totp');
  if (!methods.includes('passkey')) return [...(first.length > 0 ? first : ['pwd']), ...(code ? ['otp', 'mfa'] : [])];
  const known = [...first, ...(code ? ['otp'] : []), 'pop'];
  // Alone, the passkey is one factor, and the person who unlocked it the other.
  return first.length > 0 ? [...known, 'mfa'] : [...known, 'user', ...(passkey ? [passkey.isSynced ? 'swk' : 'hwk'] : []), 'mfa'];
}

/** The methods behind the `amr` of a session. */
export const methodsOf = (amr: readonly string[]): ('mapped' | 'password' | 'totp' | 'passkey')[] => [
  ...(amr.includes(FEDERATED) ? (['mapped'] as const) : []),
  ...(amr.includes('pwd') ? (['password'] as const) : []),
  ...(amr.includes('otp') ? (['totp'] as const) : []),
  ...(amr.includes('pop') ? (['passkey'] as const) : []),
];
