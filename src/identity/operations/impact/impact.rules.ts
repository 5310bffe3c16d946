// What a deletion would end and remove.
import type { Caller, RankGuard } from '../../access/rules/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { MAX_COUNT } from './impact.schema.ts';
import { type CountedKind, countImpact } from './impact.store.ts';

export function createImpact({ db, refuseIfOutranked }: Pick<Deps, 'db'> & { readonly refuseIfOutranked: RankGuard }) {
  /** As for the deletion itself: who may not delete a person of more rights does not learn how many sessions they have. */
  return async (caller: Caller, kind: CountedKind, id: string, now: number) => {
    if (kind === 'user') await refuseIfOutranked(db.read, caller, 'identity:delete_user', { userId: id });
    if (kind === 'group') await refuseIfOutranked(db.read, caller, 'identity:delete_group', { groupId: id });
    return { ...(await countImpact(db.lists, kind, { id, now, most: MAX_COUNT })), most: MAX_COUNT };
  };
}
