// keystone.conf: where the database and the keys are, and the settings that have a counterpart here.
import { readFileSync } from 'node:fs';
import { ImportError, type SourceSetting } from '../../source.ts';

export type KeystoneConf = (section: string, option: string) => string | undefined;

/** As oslo.config reads it: a line that begins with a blank goes on with the one before. */
export function readConf(path: string): KeystoneConf {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ImportError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  const values = new Map<string, string>();
  let section = 'DEFAULT';
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) {
      if (line.trim() === '') last = undefined;
      continue;
    }
    const [, header] = /^\[(.+)\]\s*$/.exec(line) ?? [];
    const [, name, value] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (/^\s/.test(line) && last !== undefined) values.set(last, `${values.get(last)}\n${line.trim()}`);
    else if (header !== undefined) [section, last] = [header, undefined];
    else if (name !== undefined) {
      last = `${section} ${name}`;
      values.set(last, value!.trim());
    }
  }
  return (where, option) => values.get(`${where} ${option}`) || undefined;
}

const same = (value: string): string => value;
const onOff = (value: string): string => (/^(?:true|1|yes|on)$/i.test(value) ? 'on' : 'off');
const unlessEndless = (value: string): string | undefined => (value === '-1' ? undefined : value);

/** Ours, by section and option of Keystone. Without a value, there is nothing to be set. */
const COUNTERPARTS: readonly (readonly [
  section: string,
  option: string,
  key: string,
  value: (text: string) => string | undefined,
])[] = [
  ['token', 'expiration', 'TOKEN_SECONDS', same],
  ['token', 'allow_expired_window', 'ALLOW_EXPIRED_SECONDS', same],
  ['security_compliance', 'lockout_failure_attempts', 'LOCKOUT_FAILURE_ATTEMPTS', same],
  ['security_compliance', 'lockout_duration', 'LOCKOUT_DURATION', same],
  ['security_compliance', 'password_expires_days', 'PASSWORD_EXPIRES_DAYS', same],
  ['security_compliance', 'unique_last_password_count', 'UNIQUE_LAST_PASSWORD_COUNT', same],
  ['security_compliance', 'minimum_password_age', 'MINIMUM_PASSWORD_AGE', same],
  ['security_compliance', 'password_regex', 'PASSWORD_REGEX', same],
  ['security_compliance', 'password_regex_description', 'PASSWORD_REGEX_DESCRIPTION', same],
  ['security_compliance', 'change_password_upon_first_use', 'CHANGE_PASSWORD_UPON_FIRST_USE', onOff],
  ['security_compliance', 'disable_user_account_days_inactive', 'DISABLE_USER_ACCOUNT_DAYS_INACTIVE', same],
  ['application_credential', 'user_limit', 'APPLICATION_CREDENTIAL_LIMIT', unlessEndless],
  ['credential', 'user_limit', 'CREDENTIAL_LIMIT', unlessEndless],
  ['trust', 'max_redelegation_count', 'MAX_REDELEGATION_COUNT', same],
  ['DEFAULT', 'max_project_tree_depth', 'MAX_PROJECT_TREE_DEPTH', same],
  ['unified_limit', 'enforcement_model', 'LIMIT_MODEL', same],
  ['endpoint_filter', 'return_all_endpoints_if_no_filter', 'RETURN_ALL_ENDPOINTS_IF_NO_FILTER', onOff],
  ['oauth1', 'request_token_duration', 'OAUTH1_REQUEST_TOKEN_SECONDS', same],
  ['oauth1', 'access_token_duration', 'OAUTH1_ACCESS_TOKEN_SECONDS', same],
  ['federation', 'trusted_dashboard', 'TRUSTED_DASHBOARD', same],
  ['fernet_tokens', 'key_repository', 'KEYSTONE_FERNET_KEYS', same],
  ['auth', 'methods', 'KEYSTONE_AUTH_METHODS', same],
  ['oslo_policy', 'enforce_scope', 'ENFORCE_SCOPE', onOff],
];

export const settingsOf = (conf: KeystoneConf): SourceSetting[] =>
  COUNTERPARTS.flatMap(([section, option, key, asOurs]) => {
    const said = conf(section, option);
    const value = said === undefined ? undefined : asOurs(said);
    return value === undefined ? [] : [{ key: `GATEHOUSE_IDENTITY_${key}`, value, from: `[${section}] ${option}` }];
  });
