// Disables users who are not in a directory any more.
import { serviceActor } from '../../ground/audit/index.ts';
import { chunksOf } from './chunks.ts';
import type { KeepDeps } from './keep-users.rules.ts';
import { createUserWriting } from './write-user.rules.ts';
import { AT_ONCE, writeOrSkip } from './writing.ts';

export function createUserClosing(deps: KeepDeps) {
  const { change, log } = deps;
  const writing = createUserWriting(deps);

  /** In one transaction. Returns how many were closed. */
  const close = (domainId: string, ids: readonly string[], before: number): Promise<number> =>
    change(serviceActor, async (transaction) => {
      let closed = 0;
      for (const id of ids) if (await writing.closeGone(transaction, id, before)) closed++;
      transaction.audit('directory.users_gone', { kind: 'domain', id: domainId }, { users: closed });
      return closed;
    });

  return {
    /**
     * Those whose entries are gone, unless they were seen after the directory was read. Their rows stay, so that a mistyped filter does not
     * delete grants. Whoever cannot be closed now is tried again, and does not keep the others open.
     */
    async closeUsers(domainId: string, ids: readonly string[], before: number): Promise<number> {
      let closed = 0;
      for (const chunk of chunksOf(ids, AT_ONCE))
        await writeOrSkip(
          chunk,
          async (some) => {
            closed += await close(domainId, some, before);
          },
          (id, err) =>
            log.error(
              { domain: domainId, user: id, err },
              'a user who left the directory could not be disabled; it will be tried again',
            ),
        );
      return closed;
    },
  };
}

export type UserClosing = ReturnType<typeof createUserClosing>;
