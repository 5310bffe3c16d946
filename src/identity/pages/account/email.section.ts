// A person changes their e-mail address, or confirms the one they have.

import { isEmailConfirmed, recipientOf } from '../../directory/users/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { type EmailChange, readAddress } from '../../provisioning/people/index.ts';
import { emailSection } from './email.page.ts';
import type { AccountSection, AccountStep } from './section.ts';

export interface EmailDeps {
  readonly emailChange: EmailChange;
}

const field = 'email';

function changeEmail({ emailChange }: EmailDeps): AccountStep['run'] {
  return async ({ look: { words }, person: { user, actor } }, form) => {
    const address = readAddress(form.text(field));
    if (!(await emailChange.isPossible(user))) return { error: words.emailElsewhere };
    if (address === undefined) return { error: words.noAddress, field };
    if (emailChange.isDone(user, address)) return { error: words.emailSame, field };
    if (!(await emailChange.isAllowed(user, address))) return { error: words.emailNotAllowed, field };
    await emailChange.request(actor, user, address, words.language);
    return { done: 'emailLinkSent' };
  };
}

const emailOf = (user: UserRow) => ({ address: recipientOf(user).address, isConfirmed: isEmailConfirmed(user) });

export const createEmailSection = (deps: EmailDeps): AccountSection => ({
  page: 'security',
  show: async (visit) => {
    const { user } = visit.person;
    return emailSection(visit, { ...emailOf(user), isChangeable: await deps.emailChange.isPossible(user) });
  },
  steps: { 'change-email': { needs: 'fresh sign-in', run: changeEmail(deps) } },
});
