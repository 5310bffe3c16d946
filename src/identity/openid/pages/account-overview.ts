// Sections: who the person is, and where they belong.
import { list, section } from './account-layout.ts';
import { type Html, html } from './html.ts';
import type { PageLook } from './look.ts';

export interface IdentityOnPage {
  readonly name: string;
  readonly userName: string;
  readonly email: string | undefined;
}

export const identitySection = ({ words }: PageLook, { name, userName, email }: IdentityOnPage): Html =>
  section(
    words.profile,
    html`<dl><dt>${words.name}</dt><dd>${name}</dd><dt>${words.userName}</dt><dd>${userName}</dd>
${email !== undefined && html`<dt>${words.email}</dt><dd>${email}</dd>`}</dl>`,
  );

export const organizationsSection = ({ words }: PageLook, organizations: readonly { readonly name: string }[]): Html =>
  section(
    words.organizations,
    list(
      organizations.map(({ name }) => html`<li>${name}</li>`),
      words.noOrganizations,
    ),
  );
