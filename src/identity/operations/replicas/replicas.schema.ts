// The JSON of /v3/OS-SERVICE/replicas.
import { t } from '../../../platform/http/index.ts';

const Replica = t.object({
  id: t.string({ description: 'Random, and new at each start.' }),
  host: t.string({ description: 'The name of its machine.' }),
  worker: t.nullable(t.integer({ description: 'Its number among the processes of its machine; null: there is one.' })),
  version: t.string(),
  started_at: t.string(),
  last_seen_at: t.string({ description: 'Each says every ten seconds that it is there. By the clock of the database.' }),
  state: t.oneOf('running', 'silent'),
  lag_ms: t.integer({
    description: 'The age of the last proof that it missed no change of another process; 0 if there is no other (SQLite).',
  }),
  answers_from_memory: t.boolean({
    description: 'False: changes of others may not arrive, so that every request reads the database.',
  }),
  is_this: t.boolean({ description: 'Whether it gave this answer.' }),
});
export const ReplicaList = t.object({ replicas: t.array(Replica) });

t.name({ Replica, ReplicaList });
