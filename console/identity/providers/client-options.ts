// How the service is a client of a provider: what OpenID Connect leaves to choose, by the names and values of the API.
import type { FormField, FormValues } from '../../shared/form.ts';
import { words } from '../words/index.ts';

export const CLIENT_OPTIONS = {
  response_mode: ['query', 'form_post'],
} as const;

type Options = typeof CLIENT_OPTIONS;
export type ClientOptions = { readonly [Name in keyof Options]: Options[Name][number] };
const NAMES = Object.keys(CLIENT_OPTIONS) as (keyof Options)[];

export const optionFields = (settings: ClientOptions): readonly FormField[] =>
  NAMES.map((name) => {
    const { label, hint, values } = words.providers.options[name];
    return {
      name,
      type: 'select',
      label,
      hint,
      value: settings[name],
      options: CLIENT_OPTIONS[name].map((value) => ({ value, label: (values as Readonly<Record<string, string>>)[value]! })),
    };
  });

export const optionsIn = (values: FormValues): Readonly<Record<string, string>> =>
  Object.fromEntries(NAMES.map((name) => [name, values.text(name)]));
