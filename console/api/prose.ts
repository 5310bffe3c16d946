// Texts of the document: paragraphs, lists and `code`. Nothing else of Markdown is used in it, and nothing becomes HTML by itself.
import { html, type TemplateResult } from 'lit';

const inline = (text: string): readonly unknown[] =>
  text.split(/(`[^`]+`)/).map((part) => (/^`.*`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part));

function block(text: string): TemplateResult {
  const lines = text.split('\n');
  if (lines.every((line) => line.startsWith('- ')))
    return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
  return html`<p>${inline(text)}</p>`;
}

export const prose = (text: string | undefined): readonly TemplateResult[] =>
  (text ?? '').split(/\n\n+/).filter(Boolean).map(block);
/** In a cell or a line. */
export const phrase = (text: string | undefined): readonly unknown[] => inline(text ?? '');
