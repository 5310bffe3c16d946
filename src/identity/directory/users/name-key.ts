/** Names are unique regardless of case and of compatibility forms of the same letters. */
export const nameKey = (name: string): string =>
  // Both directions, since some letters change in one direction only (ß becomes SS, and both small sigmas have one capital).
  name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');

/** Key for counting guesses at an unknown name. It ignores spelling; otherwise the counts would reveal which users exist. */
export const unknownUserKey = (domainId: string, name: string): string => `${domainId} ${nameKey(name)}`;

/**
 * Of two people who came from a system that tells `Ann` from `ann`: one has the usual key, the other this one. Logins find it first, so each of them is
 * found by the name as it is.
 */
export const exactNameKey = (name: string): string => `${nameKey(name)}\u0001${name}`;
