// Ready texts to start with, each with a button that copies it.
import { html, type TemplateResult } from 'lit';
import { copyText } from '../../shared/dialog.ts';
import { settings } from '../../shared/settings.ts';
import { shared } from '../../shared/words/index.ts';
import { words } from '../words/index.ts';
import { snippetsOf } from './snippet-texts.ts';
import type { Consumer, Kind } from './types.ts';

export const snippets = (consumer: Consumer, kind?: Kind): TemplateResult =>
  html`${snippetsOf(consumer, { issuer: settings.issuer!, kind, words: words.snippets }).map(
    ({ title, text }) => html`<section class="card">
    <header>
      <h2>${title}</h2>
      <button type="button" class="second small" @click=${() => void copyText(text)}>${shared.copy}</button>
    </header>
    <pre tabindex="0" aria-label=${title}>${text}</pre>
  </section>`,
  )}`;
