// The frame of the wallet's pages, for the screens: `go` to others, change the query of one's own.
import { html, type TemplateResult } from 'lit';
import { createFrame, type Frame } from '../shared/frame.ts';
import { explainProblems } from '../shared/problem.ts';
import { hrefOf } from '../shared/router.ts';
import { shared } from '../shared/words/index.ts';
import { session } from './session.ts';
import { words } from './words/index.ts';

function tools(): TemplateResult {
  const { name, preferred_username: userName, email, sub } = session.person;
  return html`<button type="button" class="second small" popovertarget="person">${name ?? userName ?? email ?? sub}</button>
    <div id="person" popover class="popover">
      <button type="button" class="plain" @click=${() => void session.signOut()}>${shared.signOut}</button>
    </div>`;
}

explainProblems(({ code }) => {
  const { explanations } = words.problems;
  return code !== undefined && Object.hasOwn(explanations, code) ? explanations[code as keyof typeof explanations] : undefined;
});

export const frame: Frame = createFrame(tools);

export const go = (
  path: string,
  query?: Readonly<Record<string, string | undefined>>,
  options?: { replace?: boolean },
): Promise<void> => frame.router.go(hrefOf(path, query), options);
/** Changes the query of the current screen. */
export const goQuery: typeof frame.router.query = (changes, options) => frame.router.query(changes, options);
