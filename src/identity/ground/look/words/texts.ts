// The texts of the pages in English and Spanish. A file for each area of pages holds its texts in both.
import { access } from './access.ts';
import { account } from './account.ts';
import { activity } from './activity.ts';
import { common } from './common.ts';
import { departure } from './departure.ts';
import { directory } from './directory.ts';
import { invitation } from './invitation.ts';
import { otherProviders } from './other-providers.ts';
import { people } from './people.ts';
import { refusals } from './refusals.ts';
import { roleCredentials } from './role-credentials.ts';
import { signIn } from './sign-in.ts';
import { signInRequests } from './sign-in-requests.ts';
import { wallet } from './wallet.ts';

export const english = {
  ...common.en,
  ...signIn.en,
  ...account.en,
  ...access.en,
  ...activity.en,
  ...people.en,
  ...departure.en,
  ...invitation.en,
  ...otherProviders.en,
  ...wallet.en,
  ...roleCredentials.en,
  ...directory.en,
  ...refusals.en,
  ...signInRequests.en,
};

export type PageTexts = typeof english;

export const spanish: PageTexts = {
  ...common.es,
  ...signIn.es,
  ...account.es,
  ...access.es,
  ...activity.es,
  ...people.es,
  ...departure.es,
  ...invitation.es,
  ...otherProviders.es,
  ...wallet.es,
  ...roleCredentials.es,
  ...directory.es,
  ...refusals.es,
  ...signInRequests.es,
};
