// The configuration of a domain, as Keystone's API has it. What it stores is in force at once (domain-settings).

import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import { type Caller, type FreshLogin, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { ProjectRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { ConfigPart, DomainSettingsModule, OptionChange, StoredRow, StoreRequest } from '../domain-settings/index.ts';
import { checkPart, configOf, defaultOptions, invalid, isWithin, readOptions } from './options.ts';

type Config = Readonly<Record<string, unknown>>;

const nameOf = ({ group, option }: ConfigPart): string =>
  option !== undefined ? `option ${option} in group ${group}` : group !== undefined ? `group ${group}` : 'any options';

/** A path to a group or an option takes nothing else. */
function optionsFor(part: ConfigPart, config: Config): OptionChange[] {
  const { group, option } = part;
  if (group === undefined) return readOptions(config);
  const nested = option === undefined ? config : { [group]: config };
  const options = readOptions(nested);
  checkPart(part);
  if (options.some((one) => one.group !== group))
    invalid(`Trying to update group ${group}, so that, and only that, group must be specified in the config`);
  if (option !== undefined && options.some((one) => one.option !== option))
    invalid(
      `Trying to update option ${option} in group ${group}, so that, and only that, option must be specified in the config`,
    );
  return options;
}

const removed = ({ group, option }: StoredRow): OptionChange => ({ group, option, value: undefined });

export interface DomainConfigDeps extends Pick<Deps, 'db' | 'config'> {
  readonly domainSettings: DomainSettingsModule;
  readonly freshLogin: FreshLogin;
}

export function createDomainConfig({ db, config: settings, domainSettings, freshLogin }: DomainConfigDeps) {
  const missing = (domainId: string, part: ConfigPart): never =>
    fail('domain_config.not_found', { what: nameOf(part), id: domainId });

  /** Without the secret ones. */
  const shownIn = (rows: readonly StoredRow[], part: ConfigPart): OptionChange[] =>
    rows.filter((row) => row.sealed === undefined && isWithin(part, row));

  async function read(domainId: string, part: ConfigPart): Promise<Record<string, unknown>> {
    checkPart(part);
    const options = shownIn(await domainSettings.rows(domainId), part);
    return options.length === 0 ? missing(domainId, part) : configOf(options, part);
  }

  const requireSome = (domainId: string, rows: readonly StoredRow[], part: ConfigPart): void => {
    if (part.group !== undefined && !rows.some((row) => isWithin(part, row))) missing(domainId, part);
  };

  async function store(caller: Caller, domain: ProjectRow, rule: string, request: Pick<StoreRequest, 'verb' | 'changes'>) {
    await freshLogin.requireInPerson(caller, rule);
    await domainSettings.store(caller, domain, { ...request, by: 'administrator', refusal: 'domain_config.invalid' });
    return configOf(shownIn(await domainSettings.rows(domain.id), {}), {});
  }

  return {
    target: async (id: string): Promise<IdentityTarget<ProjectRow>> => {
      const project = await findProject(db.read, id);
      return targetOf(
        project?.is_domain === 1 ? project : undefined,
        () => ({}),
        () => fail('domain.not_found', { id }),
      );
    },

    read: ({ id }: ProjectRow, part: ConfigPart) => read(id, part),

    /** Replaces everything. `isNew`: there was nothing before. */
    async replace(caller: Caller, domain: ProjectRow, config: Config) {
      const options = readOptions(config);
      let isNew = true;
      const stored = await store(caller, domain, 'identity:create_domain_config', {
        verb: 'replaced',
        changes(before) {
          isNew = before.length === 0;
          const stays = (row: StoredRow) => options.some(({ group, option }) => group === row.group && option === row.option);
          return [...before.filter((row) => !stays(row)).map(removed), ...options];
        },
      });
      return { isNew, config: stored };
    },

    async update(caller: Caller, domain: ProjectRow, part: ConfigPart, config: Config): Promise<Record<string, unknown>> {
      const options = optionsFor(part, config);
      return store(caller, domain, 'identity:update_domain_config', {
        verb: 'updated',
        changes(before) {
          requireSome(domain.id, before, part);
          return options;
        },
      });
    },

    async remove(caller: Caller, domain: ProjectRow, part: ConfigPart): Promise<void> {
      checkPart(part);
      await store(caller, domain, 'identity:delete_domain_config', {
        verb: 'deleted',
        changes(before) {
          requireSome(domain.id, before, part);
          return before.filter((row) => isWithin(part, row)).map(removed);
        },
      });
    },

    defaults: (part: ConfigPart): Record<string, unknown> => configOf(defaultOptions(settings, part), part),

    /** What everybody may know about passwords, so that pages of others can say it. */
    async securityCompliance(domainId: string, option?: string): Promise<Record<string, unknown>> {
      if (domainId !== DEFAULT_DOMAIN)
        invalid(
          'Reading security compliance information for any domain other than the default domain is not allowed or supported',
        );
      const { passwords } = await domainSettings.of(domainId);
      const readable: Readonly<Record<string, unknown>> = {
        password_regex: passwords.regex?.source ?? null,
        password_regex_description: passwords.regexDescription || null,
      };
      if (option === undefined) return { security_compliance: readable };
      if (!Object.hasOwn(readable, option))
        invalid('Reading security compliance values other than password_regex and password_regex_description is not allowed');
      return { [option]: readable[option] };
    },
  };
}

export type DomainConfig = ReturnType<typeof createDomainConfig>;
