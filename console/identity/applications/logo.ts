// The logo of an application: chosen from a file, seen before it is sent, and removed.
import { html, nothing, type TemplateResult } from 'lit';
import { createRef, ref } from 'lit/directives/ref.js';
import { confirmAct, openForm } from '../../shared/dialog.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { base64Of, PICTURE_TYPES, problemOfPicture } from '../picture.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import type { Consumer } from './types.ts';

/** The image comes from here, whatever the public address of the service is. */
const pathOf = ({ links }: Consumer): string | undefined =>
  links.logo === undefined ? undefined : URL.parse(links.logo)?.pathname;

/** Beside the name, which says everything to a screen reader. */
export const smallLogo = (consumer: Consumer): TemplateResult | typeof nothing => {
  const path = pathOf(consumer);
  return path === undefined ? nothing : html`<img class="logo-small" src=${path} alt="" loading="lazy" />`;
};

/** True when it was sent and accepted. */
async function chooseLogo(path: string): Promise<boolean> {
  const { applications } = words;
  const preview = createRef<HTMLImageElement>();
  let shown: string | undefined;
  const show = (file: File | undefined): void => {
    if (shown !== undefined) URL.revokeObjectURL(shown);
    shown = file && URL.createObjectURL(file);
    const image = preview.value!;
    image.hidden = shown === undefined;
    if (shown === undefined) image.removeAttribute('src');
    else image.src = shown;
  };
  const sent = await openForm({
    title: applications.logoChoose,
    text: applications.logoText,
    fields: [
      {
        name: 'logo',
        label: applications.logoFile,
        type: 'file',
        required: true,
        accept: PICTURE_TYPES.join(','),
        check: (_, file) => problemOfPicture(file),
        onChange: (_, file) => show(problemOfPicture(file) === undefined ? file : undefined),
      },
    ],
    extra: html`<img class="logo" alt=${applications.logoPreview} hidden ${ref(preview)} />`,
    submitLabel: applications.logoSave,
    submit: async (values) => {
      await api.put(path, { logo: { content: await base64Of(values.file('logo')!) } });
    },
  });
  if (shown !== undefined) URL.revokeObjectURL(shown);
  return sent;
}

const removeLogo = (path: string): Promise<boolean> => {
  const { applications } = words;
  return confirmAct({
    title: applications.logoRemove,
    text: applications.logoRemoveText,
    action: applications.logoRemove,
    run: () => api.delete(path),
  });
};

/** `path`: of the consumer in the API. */
export function logo(consumer: Consumer, path: string, mayChange: boolean, onChange: () => Promise<void>): Content {
  const { applications } = words;
  const image = pathOf(consumer);
  const act = async (done: Promise<boolean>, text: string): Promise<void> => {
    if (!(await done)) return;
    await onChange();
    announce(text);
  };
  const choose = () => void act(chooseLogo(`${path}/logo`), applications.logoSaved);
  const remove = () => void act(removeLogo(`${path}/logo`), applications.logoRemoved);
  return html`<section class="card">
    <h2>${applications.logo}</h2>
    ${image === undefined ? html`<p class="soft">${applications.noLogo}</p>` : html`<p><img class="logo" src=${image} alt=${applications.logoOf(consumer.name)} /></p>`}
    ${
      mayChange
        ? html`<div class="buttons">
            <button type="button" class="second" @click=${choose}>${applications.logoChoose}</button>
            ${image === undefined ? nothing : html`<button type="button" class="second danger" @click=${remove}>${applications.logoRemove}</button>`}
          </div>`
        : nothing
    }
  </section>`;
}
