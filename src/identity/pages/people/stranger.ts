// Somebody who is not signed in, at one of the pages for them.

import { fail } from '../../ground/faults.ts';
import type { BrowserRequest } from '../../ground/look/index.ts';
import type { StrangerRequest } from '../../provisioning/people/index.ts';

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

export function queryOf({ exchange: { request } }: BrowserRequest): URLSearchParams {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  // As in forms: PostgreSQL refuses NUL in texts.
  if ([...query.values()].some((value) => value.includes('\0')))
    fail('request.malformed_url', { why: 'a value contains a NUL character' });
  return query;
}

/** Longer texts are no names, addresses or tokens. */
const MAX_TEXT = 500;

export const textIn = (values: URLSearchParams, name: string): string => (values.get(name) ?? '').slice(0, MAX_TEXT).trim();

/** The id of a sign-in that waits in this browser. Anything else is ignored. */
export function interactionIn(values: URLSearchParams): string | undefined {
  const text = values.get('interaction') ?? '';
  return /^[\w-]{10,64}$/.test(text) ? text : undefined;
}
