// What administrators do about the look of the service.
import type { Static } from '../../../platform/http/index.ts';
import type { Caller, FreshLogin } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Assets, Brand, BrandPicture, BrandPictures, LookDraft, Preview, Previews } from '../../ground/look/index.ts';
import type { LookDraftEnvelope } from './look.schema.ts';

export interface LookManagementDeps {
  readonly brandPictures: BrandPictures;
  readonly previews: Previews;
  readonly assets: Assets;
  readonly freshLogin: FreshLogin;
}

export type Asked = Static<typeof LookDraftEnvelope>['look'];

/** What the settings accept. */
function linkIn(field: string, value: string | null | undefined): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol))
    fail('request.bad_value', { field, why: 'it must be an absolute http or https address' });
  return value;
}

/** What is asked for, with `present` for what it does not say. */
export function draftOf(asked: Asked, present: Pick<Brand, 'logo' | 'language'>, brandPictures: Pick<BrandPictures, 'imageIn'>) {
  const { logo } = asked;
  const dataOf = (content: string): string => {
    const { mediaType, content: bytes } = brandPictures.imageIn(content);
    return `data:${mediaType};base64,${bytes.toString('base64')}`;
  };
  const look: LookDraft = {
    name: asked.name,
    color: asked.color ?? undefined,
    logo: logo === undefined ? present.logo : logo === null ? undefined : dataOf(logo),
    links: {
      help: linkIn('help_url', asked.help_url),
      terms: linkIn('terms_url', asked.terms_url),
      privacy: linkIn('privacy_url', asked.privacy_url),
    },
    language: asked.language ?? present.language,
    scheme: asked.scheme ?? 'light',
  };
  return { kind: 'look', look } as const;
}

export function createLookManagement({ brandPictures, previews, assets, freshLogin }: LookManagementDeps) {
  const inPerson = (caller: Caller) => freshLogin.requireInPerson(caller, 'identity:update_service_settings');

  return {
    picture: async (kind: BrandPicture) => (await brandPictures.find(kind)) ?? fail('brand_picture.not_found', { kind }),

    async replacePicture(caller: Caller, kind: BrandPicture, content: string) {
      await inPerson(caller);
      return brandPictures.replace(caller, kind, content);
    },

    async removePicture(caller: Caller, kind: BrandPicture): Promise<void> {
      await inPerson(caller);
      await brandPictures.remove(caller, kind);
    },

    /** It is shown at an address of ours, so only those who may change the pages themselves make one. */
    preview: ({ userId }: Caller, asked: Asked): Promise<Preview> =>
      previews.make(userId, draftOf(asked, assets.brand, brandPictures)),
  };
}

export type LookManagement = ReturnType<typeof createLookManagement>;
