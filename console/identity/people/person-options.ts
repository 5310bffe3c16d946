// Exceptions of one account from the rules for accounts: Keystone's options of a user.
import { html } from 'lit';
import { edit } from '../../shared/edit.ts';
import type { FormField } from '../../shared/form.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { frame } from '../frame.ts';
import type { User } from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import type { PersonContext } from './person-tab.ts';

const FLAGS = [
  'ignore_password_expiry',
  'ignore_lockout_failure_attempts',
  'ignore_change_password_upon_first_use',
  'ignore_user_inactivity',
  'ignore_two_factor_policy',
  'lock_password',
] as const;

/** Managers of a domain do not loosen what administrators require of everybody in it. */
const offered = () => FLAGS.filter((name) => name !== 'ignore_two_factor_policy' || session.may('identity:update_domain_config'));

/** One combination a line, as people write them. */
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
const methodsOf = (line: string): readonly string[] => [...new Set(line.split(',').map((method) => method.trim()))];
const wrongLine = (text: string): string | undefined =>
  linesOf(text).find((line) => !methodsOf(line).every((method) => /^[a-z0-9_]+$/i.test(method)));

function fields({ options: stored = {} }: User): readonly FormField[] {
  const { options } = words;
  const rules = stored.multi_factor_auth_rules ?? [];
  return [
    ...offered().map(
      (name): FormField => ({
        name,
        label: options[name],
        type: 'checkbox',
        value: stored[name] === true,
        ...(name === 'lock_password' ? { hint: options.lock_password_hint } : {}),
      }),
    ),
    {
      name: 'multi_factor_auth_enabled',
      label: options.multi_factor_auth_enabled,
      type: 'checkbox',
      value: stored.multi_factor_auth_enabled !== false,
    },
    {
      name: 'multi_factor_auth_rules',
      label: options.multi_factor_auth_rules,
      type: 'textarea',
      hint: options.multi_factor_auth_rules_hint,
      value: rules.map((methods) => methods.join(', ')).join('\n'),
      check: (text) => {
        const wrong = wrongLine(text);
        return wrong === undefined ? undefined : options.badCombination(wrong);
      },
    },
  ];
}

export function personOptions({ user, etag, path, reload }: PersonContext): Content {
  const { options } = words;
  const form = edit<User>({
    version: { thing: user, etag },
    fields,
    read: async () => {
      const { body, etag: now } = await api.read<{ user: User }>(path);
      return { thing: body.user, etag: now };
    },
    // What is as by default is removed, not stored.
    save: async (values, ifMatch) => {
      const rules = linesOf(values.text('multi_factor_auth_rules')).map(methodsOf);
      const changed = {
        ...Object.fromEntries(offered().map((name) => [name, values.checked(name) ? true : null])),
        multi_factor_auth_enabled: values.checked('multi_factor_auth_enabled') ? null : false,
        multi_factor_auth_rules: rules.length > 0 ? rules : null,
      };
      await api.patch(path, { user: { options: changed } }, { ifMatch });
    },
    onDirty: () => frame.setDirty(true),
    onSaved: async () => {
      frame.setDirty(false);
      await reload();
      announce(words.people.saved);
    },
  });
  return html`<section class="card"><h2>${options.title}</h2><p class="soft">${options.text}</p>${form}</section>`;
}
