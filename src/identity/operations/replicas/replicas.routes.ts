// Which processes serve.
import type { IdentityApp } from '../../access/rules/index.ts';
import { ReplicaList } from './replicas.schema.ts';
import type { Replicas } from './replicas.ts';

export function mountReplicas(app: IdentityApp, { replicas }: { replicas: Replicas }): void {
  app.get(
    '/v3/OS-SERVICE/replicas',
    {
      id: 'listReplicas',
      summary: 'List the processes of the service',
      description:
        'Those that use this database, by the name of their machine, with their version and how far each is behind the changes of the others. One that was killed, or does not reach the database, is `silent` after 35 seconds, and leaves the list after an hour; one that was stopped leaves it at once. Processes that only run the wallet node have another database and are not listed.',
      tag: 'Service',
      rule: 'identity:list_replicas',
      reply: { 200: ReplicaList },
    },
    async () => ({ replicas: await replicas.list() }),
  );
}
