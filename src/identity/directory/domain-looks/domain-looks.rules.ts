// How pages and mails for the people of a domain look.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newSecret } from '../../../platform/ids.ts';
import { findProject } from '../../access/context/index.ts';
import type { Actor, RunChange } from '../../ground/audit/index.ts';
import type { Database, DomainPictureRow, Reader, SettingOwner, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  type Assets,
  type Brand,
  type BrandPicture,
  type BrandPictures,
  domainPicturePath,
  inkAndColor,
  LOGO_NOW,
} from '../../ground/look/index.ts';
import type { DomainMailLook } from '../../ground/mail/index.ts';
import type { DomainSettingsModule } from '../domain-settings/index.ts';
import { findByName } from '../projects/index.ts';
import { findUser } from '../users/index.ts';
import { deletePicture, findImage, findPicture, findPictures, putPicture } from './domain-pictures.store.ts';

export interface DomainLooksDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
  readonly assets: Assets;
  readonly brandPictures: Pick<BrandPictures, 'imageIn' | 'refuseFixed' | 'isFixed'>;
  readonly domainSettings: DomainSettingsModule;
  /** Public address of the service. */
  issuer(): string;
}

const OWN: readonly unknown[] = ['domain', 'domain_file'];

export function createDomainLooks(deps: DomainLooksDeps) {
  const { db, clock, change, assets, brandPictures, domainSettings, issuer } = deps;

  /** Paths of its own pictures. One that the operator has given is on all pages. */
  async function picturesOf(reader: Reader, domainId: string): Promise<Partial<Record<string, string>>> {
    if (brandPictures.isFixed()) return {};
    return Object.fromEntries((await findPictures(reader, domainId)).map(({ kind, id }) => [kind, domainPicturePath(id)]));
  }

  async function brandOf(domainId: string): Promise<Brand> {
    const [{ look }, { logo, favicon }] = [await domainSettings.of(domainId), await picturesOf(db.read, domainId)];
    const { name, color, language, helpUrl: help, termsUrl: terms, privacyUrl: privacy } = look;
    return assets.brandOf({ name, color, language, links: { help, terms, privacy }, logo, icon: favicon });
  }

  /** As it is in the transaction. A manager does not undo what an administrator said for the domain. */
  async function lockPicture(tx: Tx, domainId: string, kind: BrandPicture, by: SettingOwner) {
    await takeAdvisoryLock(db, tx, `look of ${domainId}`);
    if ((await findProject(tx, domainId))?.is_domain !== 1) fail('domain.not_found', { id: domainId });
    const before = await findPicture(tx, domainId, kind);
    if (by === 'manager' && before && before.stored_by !== 'manager') fail('setting.of_administrators', { key: `look.${kind}` });
    return before;
  }

  return {
    brandOf,

    /** Of a person who has shown who they are. */
    async brandOfUser(userId: string): Promise<Brand> {
      const user = await findUser(db.read, userId);
      return user ? brandOf(user.domain_id) : assets.brand;
    },

    /** Of the domain that somebody named; that of the service if there is none such. */
    async brandNamed(name: string): Promise<Brand> {
      const domain = name === '' ? undefined : await findByName(db.read, name, null);
      return domain?.enabled === 1 ? brandOf(domain.id) : assets.brand;
    },

    /** For mails, in the transaction that writes one. */
    async mailLook(domainId: string, tx: Tx): Promise<DomainMailLook | undefined> {
      const domain = await findProject(tx, domainId);
      if (!domain) return undefined;
      const { settings, places } = domainSettings.inForce(domain);
      const own = <T>(option: string, value: T): T | undefined =>
        OWN.includes(places.get(`look.${option}`)) ? value : undefined;
      const { name, language, color } = settings.look;
      const logo = (await picturesOf(tx, domainId)).logo ?? (assets.brand.logo && LOGO_NOW);
      return {
        name: own('name', name),
        language: own('language', language),
        ...(color === undefined ? {} : inkAndColor(color)),
        logo: logo === undefined ? undefined : `${issuer()}${logo}`,
      };
    },

    picture: async (domainId: string, kind: BrandPicture): Promise<DomainPictureRow> =>
      (await findPicture(db.read, domainId, kind)) ?? fail('domain_picture.not_found', { kind }),

    /** By its own id, for everybody. */
    async image(id: string) {
      const row = await findImage(db.read, id);
      return row && { mediaType: row.media_type, content: Buffer.from(row.content, 'base64') };
    },

    async replacePicture(
      actor: Actor,
      by: SettingOwner,
      { domainId, kind }: { readonly domainId: string; readonly kind: BrandPicture },
      content: string,
    ): Promise<DomainPictureRow> {
      brandPictures.refuseFixed();
      const image = brandPictures.imageIn(content);
      const row: DomainPictureRow = {
        domain_id: domainId,
        kind,
        id: newSecret(),
        media_type: image.mediaType,
        content: image.content.toString('base64'),
        created_at: seconds(clock),
        stored_by: by,
      };
      await change(actor, async ({ tx, audit }) => {
        await lockPicture(tx, domainId, kind, by);
        await putPicture(tx, row);
        audit('domain.picture_changed', { kind: 'domain', id: domainId }, { picture: kind });
      });
      return row;
    },

    async removePicture(
      actor: Actor,
      by: SettingOwner,
      { domainId, kind }: { readonly domainId: string; readonly kind: BrandPicture },
    ): Promise<void> {
      brandPictures.refuseFixed();
      await change(actor, async ({ tx, audit }) => {
        if (!(await lockPicture(tx, domainId, kind, by))) fail('domain_picture.not_found', { kind });
        await deletePicture(tx, domainId, kind);
        audit('domain.picture_removed', { kind: 'domain', id: domainId }, { picture: kind });
      });
    },
  };
}

export type DomainLooks = ReturnType<typeof createDomainLooks>;
