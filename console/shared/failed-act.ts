// What a click began and no screen waits for, such as what is read before a dialog opens. If it fails, a dialog says so.
import { html } from 'lit';
import { openDialog } from './dialog.ts';
import { ApiError, NetworkError } from './http.ts';
import { problemMessage, problemOf } from './problem.ts';
import { shared } from './words/index.ts';

let isTold = false;

/** Faults of the page itself stay with the browser, whose tools show them. */
export function tellFailedActs(): void {
  window.addEventListener('unhandledrejection', (event) => {
    const error: unknown = event.reason;
    if (!(error instanceof ApiError || error instanceof NetworkError)) return;
    event.preventDefault();
    if (isTold) return;
    isTold = true;
    const problem = problemMessage(problemOf(error, true));
    const told = openDialog<void>(
      shared.failureTitle,
      (close) =>
        html`${problem}<div class="buttons"><button type="button" @click=${() => close()}>${shared.close}</button></div>`,
    );
    void told.finally(() => {
      isTold = false;
    });
  });
}
