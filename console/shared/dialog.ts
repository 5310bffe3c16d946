// Dialogs, by the browser's own <dialog>: it keeps the focus, closes by Escape, and gives the focus back.
import { html, nothing, render, type TemplateResult } from 'lit';
import { FormElement, type FormOptions, form } from './form.ts';
import { ConflictError } from './http.ts';
import { announce } from './status.ts';
import { shared } from './words/index.ts';

const FIRST_FIELD = '.dialog-body :is(input:not([type=hidden]), select, textarea)';
let dialogs = 0;

/** Shows a dialog until `close` is called or the person closes it. */
export function openDialog<Result>(
  title: string,
  content: (close: (result: Result) => void) => TemplateResult,
  { mayClose }: { mayClose?: () => boolean | Promise<boolean> } = {},
): Promise<Result | undefined> {
  const dialog = document.createElement('dialog');
  // A dialog may open another one, such as when the session has ended.
  const titleId = `dialog-title-${++dialogs}`;
  let result: Result | undefined;
  const close = (value: Result): void => {
    result = value;
    dialog.close();
  };
  const tryClose = async (): Promise<void> => {
    if (!mayClose || (await mayClose())) dialog.close();
  };
  dialog.setAttribute('aria-labelledby', titleId);
  document.body.append(dialog);
  render(
    html`<div class="dialog-head">
        <h2 id=${titleId}>${title}</h2>
        <button type="button" class="plain close" aria-label=${shared.close} @click=${() => void tryClose()}>✕</button>
      </div>
      <div class="dialog-body">${content(close)}</div>`,
    dialog,
  );
  dialog.addEventListener('cancel', (event) => {
    // Also fired by inputs, such as the choice of a file.
    if (event.target !== dialog) return;
    event.preventDefault();
    void tryClose();
  });
  dialog.showModal();
  const focused = document.activeElement;
  // Fields are there a moment later. Whoever has moved on already stays there.
  requestAnimationFrame(() => {
    if (document.activeElement === focused) dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
  });
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(result);
    });
  });
}

export interface DialogFormOptions extends Omit<FormOptions, 'cancel'> {
  readonly title: string;
  readonly text?: string | TemplateResult;
}

/** Told to the window when a dialog is left in which it came out that somebody else has changed what the screen shows. */
export const OUTDATED = 'gatehouse:outdated';

/** Asks for something in a form. True when it was sent and accepted. */
export async function openForm({ title, text, submit, ...options }: DialogFormOptions): Promise<boolean> {
  let isOutdated = false;
  const sent = await openDialog<boolean>(
    title,
    (close) =>
      html`${text === undefined ? nothing : html`<div class="text">${text}</div>`}
      ${form({
        ...options,
        submit: async (values) => {
          try {
            await submit(values);
          } catch (error) {
            isOutdated ||= error instanceof ConflictError;
            throw error;
          }
          close(true);
        },
        cancel: () => close(false),
      })}`,
  );
  if (sent !== true && isOutdated) window.dispatchEvent(new Event(OUTDATED));
  return sent === true;
}

export interface ConfirmOptions {
  readonly title: string;
  /** What will happen, such as "Ends 3 sessions, removes 14 assignments." */
  readonly text: string | TemplateResult;
  readonly action: string;
  readonly danger?: boolean;
  /** Does it. What it throws is shown in the dialog. */
  run?(): Promise<void>;
}

/** Asks once. True when the person agreed and it was done. */
export const confirmAct = ({ title, text, action, danger = true, run }: ConfirmOptions): Promise<boolean> =>
  openForm({ title, text, fields: [], submitLabel: action, danger, submit: async () => run?.() });

/** Shows a secret once, with a button to copy it. */
export async function showSecret(title: string, secret: string, text: string = shared.secretText): Promise<void> {
  await openDialog<void>(
    title,
    (close) => html`<p>${text}</p>
      ${copyable(secret)}
      <div class="buttons"><button type="button" @click=${() => close()}>${shared.close}</button></div>`,
  );
}

/** A text to copy. */
export const copyable = (text: string): TemplateResult => html`<div class="copyable">
  <code>${text}</code>
  <button type="button" class="second small" @click=${() => void copyText(text)}>${shared.copy}</button>
</div>`;

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  announce(shared.copied);
}

export { FormElement };
