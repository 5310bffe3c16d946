// The logo and the icon of the service or of a domain: chosen from a file, seen in the preview before they are saved, and removed.
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { confirmAct } from '../../shared/dialog.ts';
import { form } from '../../shared/form.ts';
import { announce } from '../../shared/status.ts';
import { base64Of, PICTURE_TYPES, problemOfPicture } from '../picture.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

export const PICTURES = ['logo', 'favicon'] as const;
export type PictureKind = (typeof PICTURES)[number];

export interface Picture {
  readonly media_type: string;
  readonly content: string;
  readonly created_at: string;
}

export interface PictureCard {
  readonly kind: PictureKind;
  readonly texts: Readonly<Record<keyof typeof words.look.pictures.logo, string>>;
  /** The one that is stored. */
  readonly picture: Picture | undefined;
  readonly path: string;
  readonly mayChange: boolean;
  /** The setting by which the operator has given one as a file. */
  readonly fixedBy: string | undefined;
  /** In base64; undefined when there is none any more. */
  onChosen(content: string | undefined): void;
  onChange(): Promise<void>;
}

export function pictureCard(card: PictureCard): TemplateResult {
  const { kind, texts, picture, path, fixedBy, onChosen, onChange } = card;
  const mayChange = card.mayChange && fixedBy === undefined;
  const chosen = async (file: File | undefined): Promise<void> =>
    onChosen(file && problemOfPicture(file) === undefined ? await base64Of(file) : undefined);
  const remove = async (): Promise<void> => {
    const run = (): Promise<void> => api.delete(path);
    if (!(await confirmAct({ title: texts.remove, text: texts.removeText, action: texts.remove, run }))) return;
    await onChange();
    announce(texts.removed);
  };
  const choose = keyed(
    picture?.created_at,
    form({
      fields: [
        {
          name: kind,
          label: words.applications.logoFile,
          type: 'file',
          required: true,
          accept: PICTURE_TYPES.join(','),
          check: (_, file) => problemOfPicture(file),
          onChange: (_, file) => void chosen(file),
        },
      ],
      submitLabel: texts.save,
      submit: async (values) => {
        await api.put(path, { picture: { content: await base64Of(values.file(kind)!) } });
        await onChange();
        announce(texts.saved);
      },
    }),
  );
  return html`<section class="card"><h2>${texts.title}</h2><p class="hint">${texts.about}</p>
    ${picture === undefined ? nothing : html`<p><img class="logo" src="data:${picture.media_type};base64,${picture.content}" alt=${texts.title} /></p>`}
    ${fixedBy === undefined ? nothing : html`<p class="soft">${words.look.fixed} <code>${fixedBy}</code></p>`}
    ${mayChange ? choose : nothing}
    ${mayChange && picture ? html`<div class="buttons"><button type="button" class="second danger" @click=${() => void remove()}>${texts.remove}</button></div>` : nothing}
  </section>`;
}
