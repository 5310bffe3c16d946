// The configuration of a domain, as Keystone's API has it. It is kept for clients that manage it; keystone.<domain name>.conf is what counts.

import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { DEFAULT_DOMAIN, findProject } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProjectRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { deleteConfig, hasConfig, insertSecret, readConfig, writeOptions } from './domain-config.store.ts';
import {
  type ConfigOption,
  type ConfigPart,
  checkPart,
  configOf,
  defaultOptions,
  invalid,
  isSecret,
  readOptions,
} from './options.ts';

type Config = Readonly<Record<string, unknown>>;

const nameOf = ({ group, option }: ConfigPart): string =>
  option !== undefined ? `option ${option} in group ${group}` : group !== undefined ? `group ${group}` : 'any options';

/** A path to a group or an option takes nothing else. */
function optionsFor(part: ConfigPart, config: Config): ConfigOption[] {
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

export function createDomainConfig({
  db,
  change,
  config: settings,
  seal,
}: Pick<Deps, 'db' | 'change' | 'config'> & { readonly seal: Seal }) {
  const missing = (domainId: string, part: ConfigPart): never =>
    fail('domain_config.not_found', { what: nameOf(part), id: domainId });

  async function read(domainId: string, part: ConfigPart): Promise<Record<string, unknown>> {
    checkPart(part);
    const options = await readConfig(db.read, domainId, part);
    return options.length === 0 ? missing(domainId, part) : configOf(options, part);
  }

  /** Concurrent changes of one domain wait for each other. It may be deleted meanwhile. */
  const changeConfig = <T>(caller: Caller, domainId: string, work: (transaction: Change) => Promise<T>): Promise<T> =>
    failOnBrokenReference(
      () => fail('domain.not_found', { id: domainId }),
      () =>
        change(caller, async (transaction) => {
          await takeAdvisoryLock(db, transaction.tx, `domain config ${domainId}`);
          return work(transaction);
        }),
    );

  async function write(tx: Tx, domainId: string, options: readonly ConfigOption[]): Promise<void> {
    const secrets = options.filter(({ group, option }) => isSecret(group, option));
    await writeOptions(
      tx,
      domainId,
      options.filter((one) => !secrets.includes(one)),
    );
    for (const { group, option, value } of secrets) {
      const id = newId();
      await deleteConfig(tx, domainId, { group, option });
      await insertSecret(tx, {
        id,
        domain_id: domainId,
        config_group: group,
        config_option: option,
        sealed: seal.seal(Buffer.from(JSON.stringify(value)), `domain_config_secrets/${id}`),
      });
    }
  }

  /** The names of what was changed, and no values. */
  const audit = (
    transaction: Change,
    domainId: string,
    verb: 'replaced' | 'updated' | 'deleted',
    names: readonly string[],
  ): void => transaction.audit(`domain.config_${verb}`, { kind: 'domain', id: domainId }, { options: names });
  const namesOf = (options: readonly ConfigOption[]): string[] => options.map(({ group, option }) => `${group}.${option}`);

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
    async replace(caller: Caller, { id }: ProjectRow, config: Config) {
      const options = readOptions(config);
      const isNew = await changeConfig(caller, id, async (transaction) => {
        const { tx } = transaction;
        const before = await hasConfig(tx, id);
        await deleteConfig(tx, id);
        await write(tx, id, options);
        audit(transaction, id, 'replaced', namesOf(options));
        return !before;
      });
      return { isNew, config: configOf(await readConfig(db.read, id), {}) };
    },

    async update(caller: Caller, { id }: ProjectRow, part: ConfigPart, config: Config): Promise<Record<string, unknown>> {
      const options = optionsFor(part, config);
      await changeConfig(caller, id, async (transaction) => {
        if (part.group !== undefined && !(await hasConfig(transaction.tx, id, part))) missing(id, part);
        await write(transaction.tx, id, options);
        audit(transaction, id, 'updated', namesOf(options));
      });
      return configOf(await readConfig(db.read, id), {});
    },

    async remove(caller: Caller, { id }: ProjectRow, part: ConfigPart): Promise<void> {
      checkPart(part);
      await changeConfig(caller, id, async (transaction) => {
        if (part.group !== undefined && !(await hasConfig(transaction.tx, id, part))) missing(id, part);
        await deleteConfig(transaction.tx, id, part);
        audit(transaction, id, 'deleted', [nameOf(part)]);
      });
    },

    defaults: (part: ConfigPart): Record<string, unknown> => configOf(defaultOptions(settings, part), part),

    /** What everybody may know about passwords, so that pages of others can say it. */
    securityCompliance(domainId: string, option?: string): Record<string, unknown> {
      if (domainId !== DEFAULT_DOMAIN)
        invalid(
          'Reading security compliance information for any domain other than the default domain is not allowed or supported',
        );
      const readable: Readonly<Record<string, unknown>> = {
        password_regex: settings.passwordRegex?.source ?? null,
        password_regex_description: settings.passwordRegexDescription || null,
      };
      if (option === undefined) return { security_compliance: readable };
      if (!Object.hasOwn(readable, option))
        invalid('Reading security compliance values other than password_regex and password_regex_description is not allowed');
      return { [option]: readable[option] };
    },
  };
}

export type DomainConfig = ReturnType<typeof createDomainConfig>;
