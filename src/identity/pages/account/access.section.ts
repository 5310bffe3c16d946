// What can act for a person beside themselves, and its end.
import type { DelegatedAccess } from '../../delegation/delegated-access/index.ts';
import { accessSections, delegatedNotice } from './access.page.ts';
import { section } from './layout.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface AccessDeps {
  readonly delegatedAccess: DelegatedAccess;
}

const end =
  ({ delegatedAccess }: AccessDeps): AccountStep['run'] =>
  async ({ person: { user, actor } }, form) => {
    await delegatedAccess.end(actor, user.id, form.text('kind'), form.text('id'));
    return { done: 'delegatedIsEnded' };
  };

const endAll =
  ({ delegatedAccess }: AccessDeps): AccountStep['run'] =>
  async ({ person: { user, actor, renewSession } }) => {
    await delegatedAccess.endAll(actor, user.id);
    await renewSession();
    return { done: 'allIsEnded' };
  };

/** With a recent sign-in, as at the API: among it are keys by which people prove who they are. */
export const createAccessSection = (deps: AccessDeps): AccountSection => ({
  page: 'access',
  show: async (visit) => accessSections(visit, await deps.delegatedAccess.list(visit.person.user.id)),
  steps: {
    'end-delegated': { needs: 'fresh sign-in', run: end(deps) },
    'end-all-access': { needs: 'fresh sign-in', run: endAll(deps) },
  },
});

/** Beside the password, which does not end it when it changes. */
export const createAccessNotice = ({ delegatedAccess }: AccessDeps): AccountSection => ({
  page: 'security',
  async show({ look, person }) {
    const delegated = await delegatedAccess.list(person.user.id);
    return delegated.items.length > 0 ? section(look.words.delegated, delegatedNotice(look, delegated)) : undefined;
  },
});
