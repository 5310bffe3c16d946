// The logo and the icon that administrators have stored. Every process has them in memory, and follows each change.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import { type SmallPicture, smallPicture } from '../../../platform/pictures/index.ts';
import type { Actor, RunChange } from '../audit/index.ts';
import type { BrandPictureRow, Database } from '../database/index.ts';
import { fail } from '../faults.ts';
import type { IdentityConfig } from '../settings/index.ts';
import type { Asset } from './assets.ts';
import { type BrandPicture, deletePicture, putPicture, readPictures } from './brand-pictures.store.ts';

export const BRAND_PICTURES = ['logo', 'favicon'] as const satisfies readonly BrandPicture[];
const TAG = 'brand-pictures';
/** Where everybody who knows its id can see a picture of a domain. */
export const domainPicturePath = (id: string): string => `/openid/looks/${id}`;

export interface BrandPicturesDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly config: Pick<IdentityConfig, 'brandLogo'>;
}

type Stored = Readonly<Partial<Record<BrandPicture, BrandPictureRow>>>;
type Pictures = Readonly<Partial<Record<BrandPicture, Asset>>>;

const assetOf = ({ media_type, content }: BrandPictureRow): Asset => ({
  type: media_type,
  bytes: Buffer.from(content, 'base64'),
});

export function createBrandPictures({ db, clock, change, config }: BrandPicturesDeps) {
  let last: { readonly rows: Stored; readonly assets: Pictures } = { rows: {}, assets: {} };
  const idsOf = (rows: Stored): string => BRAND_PICTURES.map((kind) => rows[kind]?.id ?? '').join(' ');

  /** The same object as long as nothing changed: what is made of it is made anew otherwise. */
  async function read(): Promise<typeof last> {
    const found = await readPictures(db.read);
    const rows: Stored = Object.fromEntries(found.map((row) => [row.kind, row]));
    if (idsOf(rows) !== idsOf(last.rows))
      last = { rows, assets: Object.fromEntries(found.map((row) => [row.kind, assetOf(row)])) };
    return last;
  }
  const followed = db.followed({ tag: TAG, initial: last, read });

  /** What the operator has given is on all pages; another one would not be seen. */
  function refuseFixed(): void {
    if (config.brandLogo !== undefined) fail('setting.fixed', { key: 'GATEHOUSE_IDENTITY_BRAND_LOGO' });
  }

  /** The image in a request. Refuses what is none. */
  function imageIn(content: string): SmallPicture {
    const image = smallPicture(content);
    return 'why' in image ? fail('request.bad_value', { field: 'content', why: image.why }) : image;
  }

  return {
    imageIn,
    refuseFixed,
    /** Whether the operator has given the logo. */
    isFixed: (): boolean => config.brandLogo !== undefined,
    now: (): Pictures => followed.value.assets,

    find: async (kind: BrandPicture): Promise<BrandPictureRow | undefined> =>
      (await readPictures(db.read)).find((row) => row.kind === kind),

    async replace(actor: Actor, kind: BrandPicture, content: string): Promise<BrandPictureRow> {
      refuseFixed();
      const image = imageIn(content);
      const row: BrandPictureRow = {
        kind,
        id: newSecret(),
        media_type: image.mediaType,
        content: image.content.toString('base64'),
        created_at: seconds(clock),
      };
      await change(actor, async ({ tx, audit, invalidate }) => {
        await putPicture(tx, row);
        audit('settings.picture_changed', { kind: 'settings', id: 'service' }, { picture: kind });
        invalidate(TAG);
      });
      await followed.refresh();
      return row;
    },

    async remove(actor: Actor, kind: BrandPicture): Promise<void> {
      refuseFixed();
      await change(actor, async ({ tx, audit, invalidate }) => {
        if (!(await deletePicture(tx, kind))) fail('brand_picture.not_found', { kind });
        audit('settings.picture_removed', { kind: 'settings', id: 'service' }, { picture: kind });
        invalidate(TAG);
      });
      await followed.refresh();
    },

    start: () => followed.start(),
    stop: () => followed.stop(),
  };
}

export type BrandPictures = ReturnType<typeof createBrandPictures>;
