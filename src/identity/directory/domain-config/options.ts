// Which options a domain can have. Keystone names each of them, too, so that a new one is not settable by accident.

import { fail } from '../../ground/faults.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import {
  type ConfigPart,
  type DomainOption,
  domainOptions,
  type OptionChange,
  optionName,
  optionsByName,
  type StoredRow,
} from '../domain-settings/index.ts';

const isGroup = (group: string): boolean => domainOptions.some((one) => one.group === group);
const isSecret = (option: DomainOption): boolean => option.setting.secret;

export const invalid = (why: string): never => fail('domain_config.invalid', { why });

export function checkPart({ group, option }: ConfigPart): void {
  if (group === undefined) return;
  if (!isGroup(group)) invalid(`Group ${group} is not supported for domain specific configurations`);
  else if (option !== undefined && !optionsByName.has(optionName(group, option)))
    invalid(`Option ${option} in group ${group} is not supported for domain specific configurations`);
}

export const isWithin = ({ group, option }: ConfigPart, row: Pick<StoredRow, 'group' | 'option'>): boolean =>
  (group === undefined || group === row.group) && (option === undefined || option === row.option);

/** `{ ldap: { url: ... } }` as a list of options, all of which can be set. */
export function readOptions(config: Readonly<Record<string, unknown>>): OptionChange[] {
  const groups = Object.entries(config);
  if (groups.length === 0) invalid('No options specified');
  return groups.flatMap(([group, options]) => {
    if (typeof options !== 'object' || options === null || Array.isArray(options) || Object.keys(options).length === 0)
      return invalid(`The value of group ${group} specified in the config should be a dictionary of options`);
    return Object.entries(options as Record<string, unknown>).map(([option, value]) => {
      checkPart({ group, option });
      return { group, option, value };
    });
  });
}

/** As the path asks: all groups, one group, or an option alone. */
export function configOf(options: readonly OptionChange[], { option }: ConfigPart): Record<string, unknown> {
  if (option !== undefined) return { [option]: options[0]?.value };
  const byGroup = Map.groupBy(options, ({ group }) => group);
  return Object.fromEntries(
    [...byGroup].map(([group, all]) => [group, Object.fromEntries(all.map((one) => [one.option, one.value]))]),
  );
}

/** As JSON: Keystone has the addresses of a directory as one text, with commas. */
const asJson = (name: string, value: unknown): unknown => {
  if (value instanceof RegExp) return value.source;
  return name === 'ldap.url' && Array.isArray(value) ? value.join(',') : (value ?? null);
};

/** What is in force where neither a domain nor its file says something. */
export function defaultOptions(config: IdentityConfig, part: ConfigPart): OptionChange[] {
  checkPart(part);
  const secret = optionsByName.get(optionName(part.group ?? '', part.option ?? ''));
  if (secret && isSecret(secret))
    invalid(`Reading the default for option ${part.option} in group ${part.group} is not supported`);
  return domainOptions
    .map((one) => ({ one, group: one.group, option: one.setting.key }))
    .filter((each) => !isSecret(each.one) && isWithin(part, each))
    .map(({ one, group, option }) => ({
      group,
      option,
      value: asJson(one.name, one.ofService === undefined ? one.setting.fallback : config[one.ofService]),
    }));
}
