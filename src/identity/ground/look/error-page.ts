// Pages for errors. Programs get errors in the format of their API, browsers get these.
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorFormat } from '../../../platform/http/index.ts';
import { html } from './html.ts';
import { PAGE_HEADERS, page } from './layout.ts';
import { type Brand, lookOf, type PageLook } from './look.ts';
import { secondsToWait, textOfFault } from './messages.ts';
import type { PageWords } from './words/index.ts';

interface ErrorTexts {
  readonly title: string;
  readonly text: string;
}

function textsOf(words: PageWords, fault: Parameters<ErrorFormat>[0]): ErrorTexts {
  const { status } = fault;
  if (status === 404) return { title: words.noPageTitle, text: words.noPageText };
  if (status === 403) return { title: words.refusedTitle, text: words.refusedText };
  if (status === 429) return { title: words.tooManyTitle, text: words.tooMany(secondsToWait(fault)) };
  if (status === 503) return { title: words.outageTitle, text: words.outageText };
  if (status >= 500) return { title: words.failureTitle, text: words.failureText };
  return { title: words.errorTitle, text: textOfFault(words, fault) ?? words.formText };
}

export const outagePage = (look: PageLook): string =>
  page(look, { title: look.words.outageTitle, body: html`<p role="alert">${look.words.outageText}</p>` });

/** The message of a fault is for programs. The code, or the number of the request, is for those who are asked for help. */
export const pageErrors =
  (headers: IncomingHttpHeaders, brand: Brand): ErrorFormat =>
  (fault, _base, requestId) => {
    const look = lookOf({ headers }, brand);
    const { words } = look;
    const { title, text } = textsOf(words, fault);
    const detail = fault.status >= 500 ? requestId : fault.code;
    const body = html`<p role="alert">${text}</p><p class="soft"><code>${detail}</code></p>`;
    return { text: page(look, { title, body }), headers: PAGE_HEADERS };
  };
