// The accounts at other providers that a person has connected.
import type { Federation } from '../../login/federation/index.ts';
import { otherProvidersSection } from './other-providers.page.ts';
import type { AccountSection } from './section.ts';

export interface OtherProvidersDeps {
  readonly federation: Federation;
}

export const createOtherProvidersSection = ({ federation }: OtherProvidersDeps): AccountSection => ({
  page: 'security',
  async show(visit) {
    const accounts = await federation.links.list(visit.person.user.id);
    const { buttons, byEmail } = await federation.flows.offered();
    const isUsed = accounts.length > 0 || buttons.length > 0 || byEmail;
    return isUsed ? otherProvidersSection(visit, accounts) : undefined;
  },
  steps: {
    'provider-unlink': {
      needs: 'fresh sign-in',
      async run({ person: { user, actor } }, form) {
        await federation.links.remove(actor, user.id, form.text('link'));
        return { done: 'providerIsDisconnected' };
      },
    },
  },
});
