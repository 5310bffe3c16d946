// Pictures in a file, and those that are stored: logos and icons of the service and of domains.
import { BRAND_PICTURES } from '../../identity/ground/look/index.ts';
import { t } from '../../platform/http/index.ts';
import { MAX_SMALL_PICTURE, smallPicture } from '../../platform/pictures/index.ts';
import type { Body } from '../client.ts';
import type { Key } from '../model.ts';
import { pathId } from '../state.ts';
import type { KindDefinition, Naming } from './kind.ts';
import { quote } from './shared.ts';
import { SETTINGS_PATH } from './stored-settings.ts';

type Name = (typeof BRAND_PICTURES)[number];
const LABELS: Readonly<Record<Name, string>> = { logo: 'logo', favicon: 'icon' };
const pathOf = (name: unknown): string => `/v3/OS-SERVICE/look/${name}`;
const pathOfDomain = (id: string, name: unknown): string => `/v3/OS-SERVICE/domains/${pathId(id)}/look/${name}`;
const BY_OPERATOR = 'the operator has given the logo as a file';

/** Programs wrap long lines. */
const unwrapped = (base64: string): string => base64.replaceAll(/\s/g, '');

/** An entry: its name, and the image. */
export const ofPictures = (names: readonly string[]) =>
  ({
    required: { name: t.oneOf(...names) },
    fields: {
      content: {
        schema: t.string({
          minLength: 1,
          maxLength: 2 * MAX_SMALL_PICTURE,
          description: 'A PNG, JPEG or WebP image in base64, of at most 64 KiB. Line breaks in it do not matter.',
        }),
        isRequired: true,
        /** As the service stores it. */
        stored: (base64: string) => {
          const image = smallPicture(unwrapped(base64));
          return 'why' in image ? base64 : image.content.toString('base64');
        },
      },
    },
    keyOf({ name, content }: { readonly name: string; readonly content: string }, above: Key, { refuse }: Naming) {
      const image = smallPicture(unwrapped(content));
      if ('why' in image) refuse(image.why, 'content');
      return [...above, name];
    },
    entryOf: (key: Key) => ({ name: key.at(-1) }),
    whole: (fields) => fields,
  }) satisfies Partial<KindDefinition>;

export const picture: KindDefinition = {
  ...ofPictures(BRAND_PICTURES),
  label: ([name]) => `${LABELS[name as Name]} of the service`,
  async read(state) {
    const all = await state.list(SETTINGS_PATH);
    const isFixed = all.some(({ key, value }) => key === 'GATEHOUSE_IDENTITY_BRAND_LOGO' && value !== null);
    for (const name of BRAND_PICTURES) {
      const body = (await state.client.find(pathOf(name)))?.picture;
      if (body)
        state.add('picture', [name], body as Body, {
          url: pathOf(name),
          ...(isFixed ? { keep: BY_OPERATOR, locked: BY_OPERATOR } : {}),
        });
      else if (!isFixed) state.setId('picture', [name], pathOf(name));
    }
  },
  address: ([name]) => pathOf(name),
  refusal: ({ key, path }, state) => (state.idOf('picture', key) === undefined ? { path, why: BY_OPERATOR } : undefined),
  rule: () => 'identity:update_service_settings',
};

export const domain_picture: KindDefinition = {
  ...ofPictures(BRAND_PICTURES),
  label: ([domain, name]) => `${LABELS[name as Name]} of domain ${quote(domain)}`,
  read: (state) =>
    state.eachDomain(async ({ id, name: domain }) => {
      for (const name of BRAND_PICTURES) {
        const url = pathOfDomain(id, name);
        const body = (await state.client.find(url))?.picture;
        if (body) state.add('domain_picture', [domain, name], body as Body, { url });
      }
    }),
  envelope: 'picture',
  address: ([domain, name], ids) => pathOfDomain(ids('domain', [domain!]), name),
  rule: () => 'identity:update_domain_settings',
  subject: ({ key: [domain] }, id) => ({ domain_id: id('domain', [domain!]) }),
};
