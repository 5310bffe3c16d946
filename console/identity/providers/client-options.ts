// How the service is a client of a provider: what OpenID Connect leaves to choose, by the names and values of the API.
import type { FormField, FormValues } from '../../shared/form.ts';
import { words } from '../words/index.ts';

const CLIENT_OPTIONS = {
  profile: ['none', 'fapi2'],
  client_authentication: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  signing_alg: ['ES256', 'PS256', 'RS256'],
  request_form: ['parameters', 'pushed', 'signed', 'signed_by_reference', 'unsigned_by_reference'],
  token_binding: ['none', 'dpop'],
  response_mode: ['query', 'form_post'],
} as const;

type Options = typeof CLIENT_OPTIONS;
type Name = keyof Options;
export type ClientOptions = { readonly [One in Name]: Options[One][number] } & { readonly claims_uri: string | null };
const NAMES = Object.keys(CLIENT_OPTIONS) as Name[];
/** A profile leaves no choice about them. */
const IMPLIED: readonly Name[] = ['client_authentication', 'request_form', 'token_binding'];

export function optionFields(settings: ClientOptions): readonly FormField[] {
  const { options, claimsUri, claimsUriHint } = words.providers;
  return [
    ...NAMES.map((name): FormField => {
      const { label, hint, values } = options[name];
      return {
        name,
        type: 'select',
        label,
        hint,
        value: settings[name],
        options: CLIENT_OPTIONS[name].map((value) => ({
          value,
          label: (values as Readonly<Record<string, string>> | undefined)?.[value] ?? value,
        })),
        ...(IMPLIED.includes(name) ? { goesWith: { name: 'profile', values: ['none'] } } : {}),
      };
    }),
    {
      name: 'claims_uri',
      label: claimsUri,
      hint: claimsUriHint,
      type: 'url',
      maxLength: 2048,
      value: settings.claims_uri ?? '',
    },
  ];
}

export function optionsIn(values: FormValues): Readonly<Record<string, string | null>> {
  const isFree = values.text('profile') === 'none';
  const said = NAMES.filter((name) => isFree || !IMPLIED.includes(name));
  return {
    ...Object.fromEntries(said.map((name) => [name, values.text(name)])),
    claims_uri: values.optional('claims_uri') ?? null,
  };
}
