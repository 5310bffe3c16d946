// The layout of the account pages: the menu, sections, and forms.
import {
  checkedField,
  type Field,
  type Html,
  hidden,
  html,
  type PageLook,
  PROBLEM,
  page,
  problem,
  successMessage,
} from '../../ground/look/index.ts';

/** What was wrong with the form that was sent. */
export interface RefusedForm {
  readonly step: string;
  readonly field: string | undefined;
  readonly message: string;
  /** What was entered. */
  value(field: string): string;
}

/** What sections need to show themselves. */
export interface AccountView {
  readonly look: PageLook;
  /** The path of the page, which its forms are sent to. */
  readonly action: string;
  readonly token: string;
  readonly refused?: RefusedForm | undefined;
}

export interface AccountPageContent {
  readonly title: string;
  readonly menu: readonly { readonly path: string; readonly title: string; readonly isCurrent: boolean }[];
  readonly sections: readonly (Html | undefined)[];
  readonly success?: string | undefined;
  readonly error?: string | undefined;
  /** The application that the person came from. */
  readonly back?: { readonly name: string; readonly url: string } | undefined;
  /** The page uses passkeys. */
  readonly script?: boolean | undefined;
  /** It shows something only once, such as recovery codes. */
  readonly once: boolean;
}

/** `id`: where links lead to. */
export const section = (title: string, body: Html, id?: string): Html =>
  html`<section${id !== undefined && html` id="${id}"`}><h2>${title}</h2>${body}</section>`;

export const list = (items: readonly Html[], empty: string): Html =>
  items.length > 0 ? html`<ul class="list">${items}</ul>` : html`<p class="soft">${empty}</p>`;

/** A field of a step's form. When it was wrong, it says so and gets the focus. */
export function stepField({ refused }: AccountView, step: string, about: Field): Html {
  const focus = about.focus === true && refused === undefined;
  return checkedField(refused?.step === step ? refused : undefined, { ...about, focus });
}

/** A form that runs a step. */
export const form = ({ action, token }: AccountView, step: string, body: Html): Html =>
  html`<form method="post" action="${action}">${hidden('form_token', token)}${hidden('step', step)}${body}</form>`;

/** A button that runs a step; `more` are fields before it. `about`: the id of what it is for, where several have the same label. */
export const button = (
  view: AccountView,
  step: string,
  label: string,
  more: Html = html``,
  { look = 'second small', about }: { readonly look?: string; readonly about?: string } = {},
): Html => {
  const described = about !== undefined && html` aria-describedby="${about}"`;
  return form(view, step, html`${more}<button type="submit" class="${look}"${described}>${label}</button>`);
};

const menuItem = ({ path, title, isCurrent }: AccountPageContent['menu'][number]): Html =>
  html`<li><a href="${path}"${isCurrent && html` aria-current="page"`}>${title}</a></li>`;

export function accountPage(look: PageLook, content: AccountPageContent): string {
  const { words } = look;
  // What people enter is escaped: only we can write an attribute.
  const isAtField = content.sections.some((one) => one?.text.includes(PROBLEM));
  const body = html`<nav aria-label="${words.accountMenu}"><ul class="menu">${content.menu.map(menuItem)}</ul></nav>
${content.error !== undefined && !isAtField && problem(content.error)}${successMessage(content.success)}
${content.sections.filter((one) => one !== undefined)}
<p class="ways">${content.back && html`<a href="${content.back.url}">${words.backTo(content.back.name)}</a>`}
<a href="/openid/logout">${words.signOut}</a></p>`;
  return page(look, {
    title: content.title,
    body,
    wide: true,
    script: content.script ? 'passkeys' : undefined,
    once: content.once,
  });
}
