// Which role implies which.
import { t } from '../../../../platform/http/index.ts';
import { implyRole } from '../../../directory/roles/index.ts';
import { makeEach, recordKind } from '../kind.ts';
import { key } from './fields.ts';

export const roleImplication = recordKind({
  schema: t.object({ key, prior: key, implied: key }),
  words: ({ prior, implied }) => `the role ${prior} implies ${implied}`,
  needs: ({ prior, implied }) => [
    { kind: 'role', key: prior },
    { kind: 'role', key: implied },
  ],
  make: ({ change, deps, idOfNeeded }, records) =>
    makeEach(records, async ({ prior, implied }) => {
      const [one, other] = [idOfNeeded('role', prior), idOfNeeded('role', implied)];
      await implyRole(deps.db, change, one, other);
      return `${one} ${other}`;
    }),
  update: async (_, here) => here,
});
