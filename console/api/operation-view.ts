// One operation: what it is, its parameters, bodies, answers, and a command that calls it.
import { html, nothing, type TemplateResult } from 'lit';
import { curlOf } from './curl.ts';
import { type ApiDocument, type Content, type Entry, type Operation, type Response, responseOf } from './document.ts';
import { phrase, prose } from './prose.ts';
import { schemaView } from './schema-view.ts';
import { words } from './words/index.ts';

export const methodBadge = (method: string): TemplateResult =>
  html`<span class=${`method ${method.toLowerCase()}`}>${method}</span>`;

export const exampleText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

const bodies = (content: Content | undefined, document: ApiDocument): readonly TemplateResult[] =>
  Object.entries(content ?? {}).map(
    ([type, { schema, example }]) => html`<div class="body">
      <p><code>${type}</code></p>
      ${schema ? html`<details><summary>${words.schema}</summary>${schemaView(schema, document)}</details>` : nothing}
      ${example === undefined ? nothing : html`<details open><summary>${words.example}</summary><pre tabindex="0"><code>${exampleText(example)}</code></pre></details>`}
    </div>`,
  );

function access({ security }: Operation, { components }: ApiDocument): TemplateResult {
  const schemes = security.flatMap((one) => Object.keys(one));
  if (schemes.length === 0) return html`<p>${words.open}</p>`;
  return html`<ul>${schemes.map((name) => {
    const { description, in: place, name: field, scheme } = components.securitySchemes[name]!;
    return html`<li><code>${field ?? `Authorization: ${scheme}`}</code>${place ? html` <span class="soft">${place}</span>` : nothing} ${phrase(description)}</li>`;
  })}</ul>`;
}

const parameters = ({ parameters: all = [] }: Operation): TemplateResult | typeof nothing =>
  all.length === 0
    ? nothing
    : html`<h3>${words.parameters}</h3>
      <table class="cards-when-narrow">
        <thead><tr><th scope="col">${words.name}</th><th scope="col">${words.where}</th><th scope="col">${words.meaning}</th></tr></thead>
        <tbody>${all.map(
          ({ name, in: place, required, description, schema }) => html`<tr>
            <td><code>${name}</code></td>
            <td>${place}${required ? html` <span class="badge">${words.required}</span>` : nothing}</td>
            <td>${phrase(description)}${schema.enum ? html` <span class="soft">${schema.enum.join(' | ')}</span>` : nothing}</td>
          </tr>`,
        )}</tbody>
      </table>`;

function answer(status: string, response: Response, document: ApiDocument): TemplateResult {
  const headers = Object.entries(response.headers ?? {});
  return html`<details class="answer" ?open=${/^2/.test(status)}>
    <summary><span class=${/^[23]/.test(status) ? 'badge good' : 'badge'}>${status}</span> ${phrase(response.description?.split('\n', 1)[0])}</summary>
    ${prose(response.description?.split('\n').slice(1).join('\n').trim())}
    ${headers.length > 0 ? html`<p>${words.headers}</p><ul>${headers.map(([name, { description }]) => html`<li><code>${name}</code> ${phrase(description)}</li>`)}</ul>` : nothing}
    ${bodies(response.content, document)}
  </details>`;
}

/** `copy` puts a text into the clipboard. */
export function operationView(entry: Entry, document: ApiDocument, copy: (text: string) => void): TemplateResult {
  const { method, path, operation } = entry;
  const command = curlOf(entry, document);
  return html`<article>
    <h2 tabindex="-1">${operation.summary}</h2>
    <p class="place">${methodBadge(method)} <code>${path}</code></p>
    <p class="soft"><code>${operation.operationId}</code> · ${operation.tags.join(', ')}</p>
    ${prose(operation.description)}
    <h3>${words.access}</h3>${access(operation, document)}
    ${parameters(operation)}
    ${operation.requestBody ? html`<h3>${words.request}</h3>${bodies(operation.requestBody.content, document)}` : nothing}
    <h3>${words.answers}</h3>
    ${Object.entries(operation.responses).map(([status, response]) => answer(status, responseOf(response, document), document))}
    <h3>${words.command}</h3>
    <pre tabindex="0"><code>${command}</code></pre>
    <button type="button" class="second small" @click=${() => copy(command)}>${words.copy}</button>
  </article>`;
}
