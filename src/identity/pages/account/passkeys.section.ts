// A person adds, renames and removes passkeys.
import type { PasskeyPolicy, Passkeys } from '../../directory/passkeys/index.ts';
import { newPasskeySection, passkeysSection } from './passkeys.page.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface PasskeysDeps {
  readonly passkeys: Passkeys;
  readonly passkeyPolicy: PasskeyPolicy;
}

type Run = AccountStep['run'];

const whereAllowed =
  ({ passkeyPolicy }: PasskeysDeps, run: Run): Run =>
  async (visit, form) =>
    (await passkeyPolicy.isAllowed(visit.person.user)) ? run(visit, form) : { error: visit.look.words.passkeysNotAllowed };

/** The browser makes it after this: whether the login is fresh is found out before. */
const offer =
  ({ passkeys }: PasskeysDeps): Run =>
  async (visit) => {
    const { user, challenges } = visit.person;
    const about = { id: user.id, name: user.name, displayName: user.name };
    return { show: newPasskeySection(visit, await passkeys.creationOptions(about, challenges[0]!)), script: true };
  };

const create =
  ({ passkeys }: PasskeysDeps): Run =>
  async ({ person: { user, actor, challenges } }, form) => {
    await passkeys.add(actor, user.id, { challenges, text: form.text('passkey'), name: form.text('passkey_name') });
    return { done: 'passkeyIsAdded' };
  };

const rename =
  ({ passkeys }: PasskeysDeps): Run =>
  async ({ person: { user, actor } }, form) => {
    await passkeys.rename(actor, user.id, form.text('passkey_id'), form.text('passkey_name'));
    return { done: 'passkeyIsRenamed' };
  };

const remove =
  ({ passkeys }: PasskeysDeps): Run =>
  async ({ person: { user, actor, session } }, form) => {
    await passkeys.remove(actor, user.id, form.text('passkey_id'), session);
    return { done: 'passkeyIsRemoved' };
  };

export const createPasskeysSection = (deps: PasskeysDeps): AccountSection => ({
  page: 'security',
  async show(visit) {
    const { user } = visit.person;
    if (!(await deps.passkeyPolicy.isAllowed(user))) return undefined;
    const known = await deps.passkeys.list(user.id);
    return passkeysSection(
      visit,
      known.map((row) => ({
        id: row.id,
        name: row.name,
        isSynced: row.synced === 1,
        added: row.created_at,
        lastUsed: row.last_used_at ?? undefined,
      })),
    );
  },
  steps: {
    'passkey-new': { needs: 'fresh sign-in', run: whereAllowed(deps, offer(deps)) },
    'passkey-create': { needs: 'fresh sign-in', run: whereAllowed(deps, create(deps)) },
    'passkey-rename': { run: whereAllowed(deps, rename(deps)) },
    'passkey-remove': { needs: 'fresh sign-in', run: whereAllowed(deps, remove(deps)) },
  },
});
