// A schema: its properties with their types, and links to the schemas that have a name.
import { html, nothing, type TemplateResult } from 'lit';
import { type ApiDocument, nameOf, type Schema } from './document.ts';
import { phrase } from './prose.ts';
import { words } from './words/index.ts';

const link = (reference: string): TemplateResult => html`<a href=${`#schemas/${nameOf(reference)}`}>${nameOf(reference)}</a>`;

/** `string`, `list of User`, `integer or null` */
function typeOf(schema: Schema): unknown {
  if (schema.$ref !== undefined) return link(schema.$ref);
  const types = [schema.type ?? []].flat();
  if (types.includes('array') && schema.items) return html`${words.of} ${typeOf(schema.items)}`;
  return types.join(' | ') || '*';
}

function limitsOf(schema: Schema): string {
  const range = (least: number | undefined, most: number | undefined): string =>
    least === undefined && most === undefined ? '' : `${least ?? 0}–${most ?? '∞'}`;
  return [
    schema.enum?.map((value) => JSON.stringify(value)).join(' | '),
    schema.format,
    schema.pattern,
    range(schema.minLength, schema.maxLength),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems),
  ]
    .filter(Boolean)
    .join(', ');
}

/** The schema whose properties are shown below a line: an object, or the objects of a list. */
const inner = (schema: Schema): Schema | undefined =>
  schema.properties ? schema : schema.items?.properties ? schema.items : undefined;

function property(name: string, schema: Schema, isRequired: boolean): TemplateResult {
  const nested = inner(schema);
  const limits = limitsOf(schema);
  return html`<li>
    <code>${name}</code> <span class="soft">${typeOf(schema)}</span>
    ${isRequired ? html`<span class="badge">${words.required}</span>` : nothing}
    ${limits === '' ? nothing : html`<span class="soft limits">${limits}</span>`}
    ${schema.description ? html`<div>${phrase(schema.description)}</div>` : nothing}
    ${nested ? properties(nested) : nothing}
  </li>`;
}

const properties = (schema: Schema): TemplateResult => html`<ul class="properties">
  ${Object.entries(schema.properties ?? {}).map(([name, one]) => property(name, one, schema.required?.includes(name) ?? false))}
  ${schema.additionalProperties === true ? html`<li class="soft">… ${words.others}</li>` : nothing}
</ul>`;

/** A named schema is shown with its own properties; those that it refers to are links. */
export function schemaView(schema: Schema, { components }: ApiDocument): TemplateResult {
  const shown = schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? schema);
  const nested = inner(shown);
  return html`<p class="soft">${typeOf(schema)} ${limitsOf(shown)}</p>${nested ? properties(nested) : nothing}`;
}
