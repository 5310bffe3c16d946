// Discovery: version documents and JSON Home.
export { mountDiscovery } from './discovery.routes.ts';
