// The settings of a provider: its registration there, its button, whose addresses are its own, and how far it is trusted.

import { html, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { edit, type Version } from '../../shared/edit.ts';
import type { FormField, FormValues } from '../../shared/form.ts';
import { announce } from '../../shared/status.ts';
import { frame } from '../frame.ts';
import { impactOf } from '../impact.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { optionFields, optionsIn } from './client-options.ts';
import { linesOf } from './lines.ts';
import { readJson } from './mapping.ts';
import { type OpenidSettings, type Provider, providerPath, type WalletSettings } from './types.ts';

type Reload = () => Promise<void>;

const saved = (reload: Reload) => async (): Promise<void> => {
  frame.setDirty(false);
  await reload();
  announce(words.providers.saved);
};

function openidFields(settings: OpenidSettings): readonly FormField[] {
  const { providers } = words;
  const flag = (name: keyof OpenidSettings & keyof typeof providers.flags): FormField => ({
    name,
    type: 'checkbox',
    label: providers.flags[name].label,
    hint: providers.flags[name].hint,
    value: Boolean(settings[name]),
  });
  return [
    {
      name: 'button_name',
      label: providers.buttonName,
      hint: providers.buttonNameHint,
      maxLength: 64,
      value: settings.button_name ?? '',
      section: { title: providers.onThePage },
    },
    {
      name: 'button_order',
      label: providers.buttonOrder,
      hint: providers.buttonOrderHint,
      pattern: '\\d{1,4}',
      value: settings.button_order ?? '',
    },
    {
      name: 'email_domains',
      label: providers.emailDomains,
      hint: providers.emailDomainsHint,
      type: 'textarea',
      value: settings.email_domains.join('\n'),
    },
    {
      name: 'issuer',
      label: providers.issuer,
      hint: providers.issuerHint,
      required: true,
      maxLength: 2048,
      value: settings.issuer,
      section: { title: providers.clientTitle },
    },
    { name: 'client_id', label: providers.clientId, required: true, maxLength: 255, value: settings.client_id },
    {
      name: 'client_secret',
      label: providers.clientSecret,
      type: 'password',
      hint: settings.has_client_secret ? providers.secretStays : providers.clientSecretHint,
    },
    { name: 'scopes', label: providers.scopes, hint: providers.scopesHint, required: true, value: settings.scopes.join(' ') },
    ...optionFields(settings),
    { ...flag('trusts_email'), section: { title: providers.trust, hint: providers.trustHint } },
    flag('whole_service'),
    flag('may_give_admin'),
    flag('accepts_tokens'),
    flag('accepts_initiated_login'),
  ];
}

function openidOf(values: FormValues): Record<string, unknown> {
  const secret = values.optional('client_secret');
  const place = values.optional('button_order');
  return {
    issuer: values.text('issuer'),
    client_id: values.text('client_id'),
    ...(secret === undefined ? {} : { client_secret: secret }),
    scopes: values.text('scopes').split(/\s+/),
    button_name: values.optional('button_name') ?? null,
    button_order: place === undefined ? null : Number(place),
    email_domains: linesOf(values.text('email_domains')),
    trusts_email: values.checked('trusts_email'),
    whole_service: values.checked('whole_service'),
    may_give_admin: values.checked('may_give_admin'),
    accepts_tokens: values.checked('accepts_tokens'),
    accepts_initiated_login: values.checked('accepts_initiated_login'),
    ...optionsIn(values),
  };
}

export function openidForm(id: string, version: Version<OpenidSettings>, reload: Reload): TemplateResult {
  const { providers } = words;
  const path = `${providerPath(id)}/openid`;
  return edit<OpenidSettings>({
    version,
    fields: openidFields,
    read: async () => {
      const { body, etag } = await api.read<{ openid: OpenidSettings }>(path);
      return { thing: body.openid, etag };
    },
    save: async (values, ifMatch, present) => {
      const openid = openidOf(values);
      const run = async (): Promise<void> => {
        await api.put(path, { openid }, { ifMatch });
      };
      const isOther = openid.issuer !== present.issuer || openid.client_id !== present.client_id;
      const isLess = (present.whole_service && !openid.whole_service) || (present.may_give_admin && !openid.may_give_admin);
      if (!isOther && !isLess) return run();
      const text = html`<p>${isOther ? providers.otherText : providers.lessText}</p>${impactOf(providerPath(id), ['sessions'])}`;
      if (!(await confirmAct({ title: providers.endsTitle, text, action: providers.saveNow }))) return false;
      return run();
    },
    onDirty: () => frame.setDirty(true),
    onSaved: saved(reload),
  });
}

export function providerForm(version: Version<Provider>, reload: Reload): TemplateResult {
  const { providers } = words;
  const path = providerPath(version.thing.id);
  return edit<Provider>({
    version,
    fields: ({ description, authorization_ttl: minutes }) => [
      { name: 'description', label: providers.description, value: description ?? '', maxLength: 4096 },
      { name: 'ttl', label: providers.ttl, hint: providers.ttlHint, pattern: '\\d{1,9}', value: minutes ?? '' },
    ],
    read: async () => {
      const { body, etag } = await api.read<{ identity_provider: Provider }>(path);
      return { thing: body.identity_provider, etag };
    },
    save: (values, ifMatch) => {
      const minutes = values.optional('ttl');
      const identity_provider = {
        description: values.optional('description') ?? null,
        authorization_ttl: minutes === undefined ? null : Number(minutes),
      };
      return api.patch(path, { identity_provider }, { ifMatch });
    },
    onDirty: () => frame.setDirty(true),
    onSaved: saved(reload),
  });
}

/** Which credentials of wallets sign people in: as a text, in the form of the API. */
export function walletForm(id: string, version: Version<WalletSettings>, reload: Reload): TemplateResult {
  const { providers } = words;
  const path = `${providerPath(id)}/openid4vp`;
  return edit<WalletSettings>({
    version,
    fields: ({ links: _, ...settings }) => [
      {
        name: 'settings',
        label: providers.walletSettings,
        hint: providers.walletHint,
        type: 'textarea',
        required: true,
        value: JSON.stringify(settings, undefined, 2),
        check: (entered) => (typeof readJson(entered) === 'object' ? undefined : providers.noJson),
      },
    ],
    read: async () => {
      const { body, etag } = await api.read<{ openid4vp: WalletSettings }>(path);
      return { thing: body.openid4vp, etag };
    },
    save: async (values, ifMatch) => {
      const openid4vp = readJson(values.text('settings'));
      const text = html`<p>${providers.walletText}</p>${impactOf(providerPath(id), ['sessions'])}`;
      if (!(await confirmAct({ title: providers.walletTitle, text, action: providers.saveNow }))) return false;
      // Not in the dialog: the form shows what somebody else has changed.
      return api.put(path, { openid4vp }, { ifMatch });
    },
    onDirty: () => frame.setDirty(true),
    onSaved: saved(reload),
  });
}
