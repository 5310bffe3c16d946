// User names that come from outside: from people themselves, or from a provider that says who they are.
import { nameKey } from './name-key.ts';

const isAt = (character: string): boolean => character.normalize('NFKC').includes('@');

/** People and applications take a name with @ for an address. */
export const isLikeAddress = (name: string): boolean => [...name].some(isAt);

/**
 * Whether somebody may have a name that they chose, or that somebody else chose for them: an address must be one of their own. Otherwise they
 * would sign in to applications under the address of somebody else, who could not register any more. Administrators, provisioning clients
 * and directories of a domain choose any names: the people of the domain are theirs.
 */
export const isOwnName = (name: string, addresses: readonly (string | null | undefined)[]): boolean =>
  !isLikeAddress(name) || addresses.some((address) => typeof address === 'string' && nameKey(address) === nameKey(name));

/** What is left of a name that is somebody else's address. */
export const withoutAddress = (name: string): string => {
  const characters = [...name];
  const at = characters.findIndex(isAt);
  return at < 0 ? name : characters.slice(0, at).join('').trim();
};
