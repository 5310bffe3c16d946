// A field for a password that somebody sets for another person: it can be shown, and made up.
import { html, nothing, type TemplateResult } from 'lit';
import { ifDefined } from 'lit/directives/if-defined.js';
import { newPassword } from './new-password.ts';
import { shared } from './words/index.ts';

export interface PasswordOptions {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly autocomplete: string | undefined;
  readonly describedBy: string | undefined;
  readonly canGenerate: boolean;
  onInput(event: Event): void;
}

function showIn(box: Element, isShown: boolean): HTMLInputElement {
  const input = box.querySelector('input')!;
  input.type = isShown ? 'text' : 'password';
  box.querySelector('[aria-pressed]')!.setAttribute('aria-pressed', String(isShown));
  return input;
}

const boxOf = (event: Event): Element => (event.currentTarget as Element).closest('.password')!;

function generate(event: Event): void {
  const input = showIn(boxOf(event), true);
  input.value = newPassword();
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.focus();
  input.select();
}

export const passwordField = (options: PasswordOptions): TemplateResult => html`<div class="password">
    <input id=${options.id} name=${options.name} type="password" data-secret ?required=${options.required} maxlength=${ifDefined(options.maxLength)}
      minlength=${ifDefined(options.minLength)} autocomplete=${(options.autocomplete ?? 'off') as 'off'} aria-describedby=${ifDefined(options.describedBy)}
      spellcheck="false" autocapitalize="none" @input=${options.onInput} />
    <button type="button" class="second small" aria-pressed="false" aria-controls=${options.id}
      @click=${(event: Event) => showIn(boxOf(event), (event.currentTarget as Element).getAttribute('aria-pressed') !== 'true')}>${shared.showPassword}</button>
    ${options.canGenerate ? html`<button type="button" class="second small" @click=${generate}>${shared.generatePassword}</button>` : nothing}
  </div>`;
