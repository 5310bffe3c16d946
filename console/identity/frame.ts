// The frame of the console, for the screens: `go` to others, change the query of one's own.
import { html, type TemplateResult } from 'lit';
import { createFrame, type Frame } from '../shared/frame.ts';
import { explainProblems, problemOf } from '../shared/problem.ts';
import { NO_OWN_ORGANIZATION } from '../shared/refused-field.ts';
import { hrefOf } from '../shared/router.ts';
import { announce } from '../shared/status.ts';
import { shared } from '../shared/words/index.ts';
import { type Scope, session } from './session.ts';
import { words } from './words/index.ts';

const keyOf = ({ kind, id }: Scope): string => `${kind} ${id}`;

function scopeName({ kind, name }: Scope): string {
  if (kind === 'system') return words.frame.system;
  return kind === 'domain'
    ? words.frame.domain(name)
    : kind === 'project'
      ? words.frame.organization(name)
      : words.frame.unscoped;
}

async function chooseScope(event: Event): Promise<void> {
  const select = event.target as HTMLSelectElement;
  const scope = session.scopes.find((one) => keyOf(one) === select.value);
  if (!scope) return;
  try {
    await session.choose(scope);
  } catch (error) {
    const { title, text } = problemOf(error);
    announce(`${title}. ${text}`);
    select.value = keyOf(session.scope);
  }
  frame.update();
  frame.reload();
}

// The answer is 404, but nothing was deleted.
explainProblems(({ message }) => (NO_OWN_ORGANIZATION.test(message) ? words.frame.noOwnOrganization : undefined));

function tools(): TemplateResult {
  const { scopes, scope, person } = session;
  return html`${
    scopes.length === 0
      ? ''
      : html`<label class="hidden" for="scope">${words.frame.actIn}</label>
      <select id="scope" title=${words.frame.actIn} @change=${(event: Event) => void chooseScope(event)}>
        ${scopes.map((one) => html`<option value=${keyOf(one)} ?selected=${keyOf(one) === keyOf(scope)}>${scopeName(one)}</option>`)}
      </select>`
  }
    <button type="button" class="second small" popovertarget="person">${person.display_name}</button>
    <div id="person" popover class="popover">
      <a href="/account">${shared.account}</a>
      <button type="button" class="plain" @click=${() => void session.signOut()}>${shared.signOut}</button>
    </div>`;
}

export const frame: Frame = createFrame(tools);

session.onChange = (lost) => {
  if (lost) announce(words.frame.roleLost(scopeName(lost), scopeName(session.scope)));
  frame.update();
  frame.reload();
};

export const go = (path: string, query?: Readonly<Record<string, string | undefined>>): Promise<void> =>
  frame.router.go(hrefOf(path, query));
/** Changes the query of the current screen. */
export const goQuery: typeof frame.router.query = (changes, options) => frame.router.query(changes, options);
