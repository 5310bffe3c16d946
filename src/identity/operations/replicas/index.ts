// Which processes serve, as each of them says every ten seconds (replicas.ts). `gatehouse doctor` reads the same list.
export { mountReplicas } from './replicas.routes.ts';
export { readReplicas } from './replicas.store.ts';
export { createReplicas, type Replicas } from './replicas.ts';
