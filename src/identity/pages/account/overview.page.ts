// Sections: who the person is, and where they belong.

import { type Html, html, type PageLook } from '../../ground/look/index.ts';
import { list, section } from './layout.ts';

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
