// Whoever holds more than the caller is shielded from them: a password reset, another e-mail address or a seat in the same group
// would hand it over. Managers of a domain, and what provisions it, look after people who hold nothing beyond that domain.
import { type Access, type Holder, heldGrants, managesElsewhere } from './access/index.ts';
import type { Caller } from './caller.ts';
import type { Reader } from './database.ts';
import { fail } from './faults.ts';
import { isAdministrator, visibleDomain } from './policy.ts';

/** Roles that mean something in every domain, wherever they are held. */
const EVERYWHERE = ['admin', 'service'];
/** Roles of a guest: what the own domain's managers may do to a guest's account is for the inviting domain to know. */
const OF_GUESTS = ['member', 'reader'];
/** Roles that let nobody look after others. */
const PLAIN = [...OF_GUESTS, 'owner', 'basic', 'trial', 'community'];

/**
 * Goes on, or 403. Asked before a change, and again inside it, with what is held then. `signIn`: the change is of how the person
 * signs in. What provisions a domain could otherwise sign in as those who manage it, and do what only people may.
 */
export type Shield = (
  reader: Reader,
  caller: Caller,
  action: string,
  holder: Holder,
  what?: { readonly signIn: boolean },
) => Promise<void>;

export function createShield({ access }: { readonly access: Pick<Access, 'expand'> }): Shield {
  async function holdsBeyond(reader: Reader, holder: Holder, domainId: string | undefined): Promise<boolean> {
    for (const { roleId, targetId, domainId: of } of await heldGrants(reader, holder)) {
      const names = (await access.expand(reader, [roleId])).map(({ name }) => name);
      if (targetId === null && names.length > 0) return true;
      if (names.some((name) => EVERYWHERE.includes(name))) return true;
      if (of !== domainId && names.some((name) => !OF_GUESTS.includes(name))) return true;
    }
    return 'userId' in holder && managesElsewhere(reader, holder.userId, domainId);
  }

  async function holdsMoreThanPlain(reader: Reader, holder: Holder): Promise<boolean> {
    const roleIds = [...new Set((await heldGrants(reader, holder)).map(({ roleId }) => roleId))];
    return (await access.expand(reader, roleIds)).some(({ name }) => !PLAIN.includes(name));
  }

  return async (reader, caller, action, holder, { signIn } = { signIn: false }) => {
    if (isAdministrator(caller)) return;
    if (await holdsBeyond(reader, holder, visibleDomain(caller))) fail('auth.forbidden', { action });
    if (!signIn || !caller.provisions) return;
    const letItIn = 'userId' in holder && holder.userId === caller.userId;
    if (letItIn || (await holdsMoreThanPlain(reader, holder))) fail('auth.forbidden', { action });
  };
}
