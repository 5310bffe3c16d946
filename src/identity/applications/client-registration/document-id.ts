// Client ids that are addresses of documents (draft-ietf-oauth-client-id-metadata-document, 3).
import { createExceptions } from '../../../platform/outbound/index.ts';

const LONGEST = 500;

/** `http` for what the operator lets the service call without TLS, such as a developer's own machine. */
export function createDocumentIds(outboundAllow: readonly string[]): (clientId: string) => boolean {
  const isExcepted = createExceptions(outboundAllow);
  return (clientId) => {
    if (clientId.length > LONGEST || !/^https?:\/\//.test(clientId)) return false;
    const url = URL.parse(clientId);
    // As it is written, so that no two ids lead to one document.
    if (url?.href !== clientId || url.hash !== '' || url.username !== '' || url.password !== '') return false;
    if (/\/\.{1,2}(?:\/|$)|%2e/i.test(url.pathname) || url.pathname === '/') return false;
    return url.protocol === 'https:' || isExcepted(url);
  };
}
