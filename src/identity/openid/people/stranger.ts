// Somebody who is not signed in, at one of the pages for them.
import type { StrangerRequest } from '../../people/index.ts';
import type { BrowserRequest } from '../pages/browser.ts';

/** A page: what GET shows, and what its form does. */
export interface StrangerPage {
  show(browser: BrowserRequest, query: URLSearchParams): Promise<void> | void;
  submit(browser: BrowserRequest, form: URLSearchParams): Promise<void> | void;
}

export const strangerOf = ({ exchange: { address, requestId, signal } }: BrowserRequest): StrangerRequest => ({
  address,
  requestId,
  signal,
});

export const queryOf = ({ exchange: { request } }: BrowserRequest): URLSearchParams =>
  new URL(request.url ?? '/', 'http://localhost').searchParams;

/** Longer texts are no names, addresses or tokens. */
const MAX_TEXT = 500;

export const textIn = (values: URLSearchParams, name: string): string => (values.get(name) ?? '').slice(0, MAX_TEXT).trim();

/** The id of a sign-in that waits in this browser. Anything else is ignored. */
export function interactionIn(values: URLSearchParams): string | undefined {
  const text = values.get('interaction') ?? '';
  return /^[\w-]{10,64}$/.test(text) ? text : undefined;
}
