// The settings in force in a domain, with where each comes from; what administrators and, as far as they were left to them, managers of the
// domain change.
import { shownValue } from '../../../platform/config/index.ts';
import { findProject } from '../../access/context/index.ts';
import { type Caller, type FreshLogin, type IdentityTarget, isAllowed, targetOf } from '../../access/rules/index.ts';
import type { ProjectRow, SettingOwner } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, isMatch } from '../../ground/resource/index.ts';
import { serviceSettingsByKey } from '../../ground/settings/index.ts';
import {
  type DomainOption,
  type DomainSettingsModule,
  domainOptions,
  isOfDirectory,
  OF_MACHINE,
  type OptionChange,
  optionsByName,
  type StoreRequest,
} from '../domain-settings/index.ts';

/** New texts by key; null: the domain has none of its own. */
export type DomainSettingTexts = Readonly<Record<string, string | null>>;

export interface EffectiveSettingsDeps extends Pick<Deps, 'db' | 'config'> {
  readonly domainSettings: DomainSettingsModule;
  readonly freshLogin: FreshLogin;
}

export const isAdministratorOfDomains = (caller: Caller): boolean => isAllowed(caller, 'identity:update_domain_config');

export function createEffectiveSettings({ db, config, domainSettings, freshLogin }: EffectiveSettingsDeps) {
  /** Where the directory is, and as whom it is asked, is nothing for the managers of a domain. */
  const sees = (caller: Caller, option: DomainOption): boolean =>
    !isOfDirectory(option) || option.name === 'identity.driver' || isAllowed(caller, 'identity:get_domain_config');

  const isLeft = ({ group }: Pick<DomainOption, 'group'>): boolean =>
    (config.domainManagerSettings as readonly string[]).includes(group);

  const outerOf = ({ ofService, setting }: DomainOption): unknown =>
    ofService === undefined ? setting.fallback : config[ofService];

  const ownerOf = (caller: Caller): SettingOwner => (isAdministratorOfDomains(caller) ? 'administrator' : 'manager');

  function requestOf(caller: Caller, texts: DomainSettingTexts, ifMatch: string | undefined): StoreRequest {
    const by = ownerOf(caller);
    return {
      by,
      verb: 'updated',
      refusal: 'setting.invalid',
      isExpected: (version) => isMatch(ifMatch, version),
      changes: () =>
        Object.entries(texts).map(([key, text]): OptionChange => {
          const option = optionsByName.get(key) ?? fail('setting.unknown', { key });
          if (by === 'manager' && !isLeft(option)) fail('setting.of_administrators', { key });
          return { group: option.group, option: option.setting.key, value: text ?? undefined };
        }),
    };
  }

  return {
    target: async (id: string): Promise<IdentityTarget<ProjectRow>> => {
      const project = await findProject(db.read, id);
      return targetOf(
        project?.is_domain === 1 ? project : undefined,
        (domain) => ({ domainId: domain.id }),
        () => fail('domain.not_found', { id }),
      );
    },

    version: (domain: ProjectRow): string => domainSettings.version(domain.id),

    list(caller: Caller, domain: ProjectRow) {
      const stored = domainSettings.stored(domain.id);
      const { settings, places } = domainSettings.inForce(domain);
      const mayChange = isAllowed(caller, 'identity:update_domain_settings', { domainId: domain.id });
      const isAdministrator = isAdministratorOfDomains(caller);
      return domainOptions
        .filter((option) => sees(caller, option) && !OF_MACHINE.has(option.name))
        .map((option) => {
          const { name, group, field, setting } = option;
          const values = settings[group] as Readonly<Record<string, unknown>>;
          const fixed = domainSettings.fixed(domain, option) ?? null;
          const isLeftToManager = isLeft(option) && stored?.options.get(name)?.by !== 'administrator';
          const service = option.ofService && [...serviceSettingsByKey.values()].find((one) => one.name === option.ofService);
          return {
            key: name,
            group,
            value: shownValue(setting, values[field]),
            source: places.get(name)!,
            fixed: fixed === null ? null : `${fixed[0]!.toUpperCase()}${fixed.slice(1)}.`,
            may_change: mayChange && fixed === null && (isAdministrator || isLeftToManager),
            unit: setting.unit,
            about: service ? service.setting.about : setting.about,
            default: shownValue(setting, outerOf(option)),
            input: setting.input,
          };
        });
    },

    async store(caller: Caller, domain: ProjectRow, texts: DomainSettingTexts, ifMatch: string | undefined): Promise<void> {
      await freshLogin.requireInPerson(caller, 'identity:update_domain_settings');
      await domainSettings.store(caller, domain, requestOf(caller, texts, ifMatch));
    },

    requestOf,

    /** As whom somebody changes what a group of settings is about. Refuses managers to whom it is not left. */
    writerOf(caller: Caller, group: DomainOption['group']): SettingOwner {
      const by = ownerOf(caller);
      if (by === 'manager' && !isLeft({ group })) fail('setting.of_administrators', { key: group });
      return by;
    },
  };
}

export type EffectiveSettings = ReturnType<typeof createEffectiveSettings>;
