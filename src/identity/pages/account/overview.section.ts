// Who the person is, and where they belong.
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { namesOf } from './names.ts';
import { identitySection, organizationsSection } from './overview.page.ts';
import type { AccountSection } from './section.ts';

export interface OverviewDeps {
  organizationsOf(userId: string): Promise<readonly { readonly name: string }[]>;
}

const identityOf = (user: UserWithExpiry) => ({ ...namesOf(user), userName: user.name });

export const createOverviewSections = ({ organizationsOf }: OverviewDeps): AccountSection[] => [
  { page: 'overview', show: async ({ look, person }) => identitySection(look, identityOf(person.user)) },
  {
    page: 'overview',
    show: async ({ look, person }) => organizationsSection(look, await organizationsOf(person.user.id)),
  },
];
