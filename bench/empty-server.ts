// The baseline: the minimum cost of a request in this stack. Prints its address when it listens.
import Fastify from 'fastify';

const server = Fastify();
server.get('/', async () => ({}));
await server.listen({ host: '127.0.0.1', port: 0 });
const address = server.server.address();
if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`);
