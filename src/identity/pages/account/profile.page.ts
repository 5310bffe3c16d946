// Sections: the profile, and the picture.

import { LANGUAGE_TABLE } from '../../../platform/languages/index.ts';
import { type Html, hidden, html } from '../../ground/look/index.ts';
import { type AccountView, button, form, section, stepField } from './layout.ts';

export interface ProfileOnPage {
  readonly displayName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly preferredLanguage: string;
  readonly timezone: string;
  /** The names come from a directory or a provisioning client. */
  readonly isManaged: boolean;
}

const STEP = 'profile';
const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly empty: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A value that is not among the options stays. */
function choice({ refused }: AccountView, { name, label, value, empty, options }: Choice): Html {
  const all = options.some(([one]) => one === value) || value === '' ? options : [[value, value] as const, ...options];
  const invalid = refused?.step === STEP && refused.field === name && html` aria-invalid="true" aria-describedby="problem"`;
  return html`<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${invalid}><option value="">${empty}</option>
${all.map(([one, text]) => html`<option value="${one}"${one === value && html` selected`}>${text}</option>`)}</select>`;
}

export function profileSection(view: AccountView, profile: ProfileOnPage): Html {
  const { look, refused } = view;
  const { words } = look;
  const current = (name: Exclude<keyof ProfileOnPage, 'isManaged'>): string =>
    refused?.step === STEP ? refused.value(name) : profile[name];
  const name = (field: 'displayName' | 'givenName' | 'familyName', complete: string): Html =>
    stepField(view, STEP, { name: field, label: words[field], value: current(field), complete, optional: true });
  const names = profile.isManaged
    ? html`<p class="soft">${words.namesAreManaged}</p>`
    : html`${name('givenName', 'given-name')}
${name('familyName', 'family-name')}
${name('displayName', 'nickname')}
<p class="soft hint">${words.displayNameText}</p>`;
  const body = form(
    view,
    STEP,
    html`${names}
${choice(view, {
  name: 'preferredLanguage',
  label: words.languageLabel,
  value: current('preferredLanguage'),
  empty: words.asInBrowser,
  options: Object.entries(LANGUAGE_TABLE).map(([tag, { name }]) => [tag, name]),
})}
${choice(view, {
  name: 'timezone',
  label: words.timezone,
  value: current('timezone'),
  empty: words.asInBrowser,
  options: ZONES.map((zone) => [zone, zone.replaceAll('_', ' ')]),
})}
<button type="submit" class="small">${words.save}</button>`,
  );
  return section(words.profile, body);
}

/** `path`: of the current picture. */
export function pictureSection({ look, action, token, ...view }: AccountView, path: string | undefined): Html {
  const { words } = look;
  const current =
    path !== undefined && html`<p><img class="picture" src="${path}" alt="${words.yourPicture}" width="96" height="96"></p>`;
  const upload = html`<form method="post" action="${action}" enctype="multipart/form-data">${hidden('form_token', token)}${hidden('step', 'picture')}
<label for="picture">${words.pictureFile}</label>
<input type="file" id="picture" name="picture" accept="image/png,image/jpeg,image/webp" required>
<p class="soft hint">${words.pictureText}</p>
<button type="submit" class="small">${words.uploadPicture}</button></form>`;
  const remove = path !== undefined && button({ ...view, look, action, token }, 'picture-remove', words.removePicture);
  return section(words.picture, html`${current}${upload}${remove}`);
}
