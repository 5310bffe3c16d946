// Errors as people read them: what happened, and what to do.
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError, ConflictError, NetworkError, SignedOutError } from './http.ts';
import { shared } from './words/index.ts';

export interface Problem {
  readonly title: string;
  readonly text: string;
  /** The service's own words, which are English. */
  readonly detail?: string | undefined;
  readonly canRetry: boolean;
}

type Explain = (error: ApiError) => { readonly title: string; readonly text: string } | undefined;
let explain: Explain = () => undefined;

/** A page may explain errors of its API by their codes. */
export function explainProblems(by: Explain): void {
  explain = by;
}

/** `mayChange`: what was begun changes something, which may have been done although no answer came. */
export function problemOf(error: unknown, mayChange = false): Problem {
  const isChange = mayChange && !(error instanceof NetworkError && error.isRead);
  if (error instanceof SignedOutError) return { title: shared.signedOutTitle, text: shared.signedOutText, canRetry: true };
  if (error instanceof NetworkError)
    return { title: shared.awayTitle, text: isChange ? shared.unsureText : shared.awayText, canRetry: !isChange };
  if (error instanceof ConflictError) return { title: shared.conflictTitle, text: shared.conflictText, canRetry: false };
  if (!(error instanceof ApiError)) return { title: shared.failureTitle, text: shared.failureText, canRetry: !isChange };
  const { status, message: detail, retryAfter = 0 } = error;
  const explained = explain(error);
  if (explained) return { ...explained, detail, canRetry: false };
  if (status === 401) return { title: shared.requestTitle, text: shared.signInAgainText, detail, canRetry: false };
  if (status === 403) return { title: shared.refusedTitle, text: shared.refusedText, detail, canRetry: false };
  if (status === 404) return { title: shared.notFoundTitle, text: shared.notFoundText, detail, canRetry: false };
  if (status === 409) return { title: shared.alreadyThereTitle, text: '', detail, canRetry: false };
  if (status === 400 || status === 422) return { title: shared.invalidTitle, text: '', detail, canRetry: false };
  if (status === 429) return { title: shared.busyTitle, text: shared.busyText(retryAfter), canRetry: true };
  if (status === 502 || status === 503)
    return { title: shared.awayTitle, text: retryAfter > 0 ? shared.busyText(retryAfter) : shared.awayText, canRetry: true };
  if (status >= 500) return { title: shared.failureTitle, text: shared.failureText, canRetry: true };
  return { title: shared.requestTitle, text: '', detail, canRetry: false };
}

/** Announced by screen readers at once. */
export function problemMessage(problem: Problem | undefined, retry?: () => void): TemplateResult | typeof nothing {
  if (!problem) return nothing;
  const { title, text, detail, canRetry } = problem;
  return html`<div class="bad" role="alert">
    <strong>${title}</strong>
    ${text === '' ? nothing : html`<p>${text}</p>`}
    ${detail ? html`<p class="soft">${shared.serviceSays} <span lang="en">${detail}</span></p>` : nothing}
    ${retry && canRetry ? html`<button type="button" class="second small" @click=${retry}>${shared.retry}</button>` : nothing}
  </div>`;
}
