// Pictures that people upload. A new picture has a new address: browsers may keep the old one for ever.
import { seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import { type PictureProblem, readPicture } from '../../../platform/pictures/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { deletePicture, findPicture, pictureIdOf, putPicture } from './pictures.store.ts';

export interface StoredPicture {
  readonly mediaType: string;
  readonly content: Buffer;
}

export function createPictures({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  return {
    /** Why it is refused; undefined when it was stored. */
    async replace(actor: Actor, userId: string, bytes: Buffer): Promise<PictureProblem | undefined> {
      const picture = readPicture(bytes);
      if ('problem' in picture) return picture.problem;
      const content = picture.content.toString('base64');
      const row = { user_id: userId, id: newSecret(), media_type: picture.mediaType, content, created_at: seconds(clock) };
      await change(actor, async ({ tx, audit, invalidate }) => {
        // Applications are told its address (openid/provider/user-information.ts).
        invalidate(tagOf.user(userId));
        await failOnBrokenReference(
          () => fail('user.not_found', { id: userId }),
          () => putPicture(tx, row),
        );
        audit('user.picture_changed', { kind: 'user', id: userId });
      });
      return undefined;
    },

    async remove(actor: Actor, userId: string): Promise<void> {
      await change(actor, async ({ tx, audit, invalidate }) => {
        invalidate(tagOf.user(userId));
        const gone = await deletePicture(tx, userId);
        audit('user.picture_removed', { kind: 'user', id: userId }, {}, gone ? 'success' : 'failure');
      });
    },

    /** By its id. The pictures of disabled accounts are not shown. */
    async find(id: string): Promise<StoredPicture | undefined> {
      const row = await findPicture(db.read, id);
      return row && { mediaType: row.media_type, content: Buffer.from(row.content, 'base64') };
    },

    idOf: (userId: string): Promise<string | undefined> => pictureIdOf(db.read, userId),
  };
}

export type Pictures = ReturnType<typeof createPictures>;
