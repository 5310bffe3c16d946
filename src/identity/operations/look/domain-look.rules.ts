// What administrators do about the look of a domain, and its managers as far as it is left to them.
import type { Caller, FreshLogin } from '../../access/rules/index.ts';
import type { EffectiveSettings } from '../../directory/domain-config/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import type { SettingOwner } from '../../ground/database/index.ts';
import type { BrandPicture, BrandPictures, Preview, Previews } from '../../ground/look/index.ts';
import { type Asked, draftOf } from './look.rules.ts';

export interface DomainLookManagementDeps {
  readonly domainLooks: DomainLooks;
  readonly effectiveSettings: EffectiveSettings;
  readonly brandPictures: BrandPictures;
  readonly previews: Previews;
  readonly freshLogin: FreshLogin;
}

export function createDomainLookManagement(deps: DomainLookManagementDeps) {
  const { domainLooks, effectiveSettings, brandPictures, previews, freshLogin } = deps;

  async function writerInPerson(caller: Caller): Promise<SettingOwner> {
    await freshLogin.requireInPerson(caller, 'identity:update_domain_settings');
    return effectiveSettings.writerOf(caller, 'look');
  }

  return {
    target: effectiveSettings.target,
    picture: domainLooks.picture,

    replacePicture: async (caller: Caller, domainId: string, kind: BrandPicture, content: string) =>
      domainLooks.replacePicture(caller, await writerInPerson(caller), { domainId, kind }, content),

    removePicture: async (caller: Caller, domainId: string, kind: BrandPicture): Promise<void> =>
      domainLooks.removePicture(caller, await writerInPerson(caller), { domainId, kind }),

    /** It is shown at an address of ours, so only those who may change the pages themselves make one. */
    async preview(caller: Caller, domainId: string, asked: Asked): Promise<Preview> {
      effectiveSettings.writerOf(caller, 'look');
      return previews.make(caller.userId, draftOf(asked, await domainLooks.brandOf(domainId), brandPictures));
    },
  };
}

export type DomainLookManagement = ReturnType<typeof createDomainLookManagement>;
