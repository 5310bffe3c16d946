// Services (DID Core, 5.4) and alsoKnownAs of a document. Readers may follow these addresses, so they are checked.
import { fail } from '../ground/faults.ts';
import type { DidService } from '../publication/index.ts';
import type { DidRequest } from './dids.schema.ts';

/** Makes service ids absolute, as DID Core requires. */
export function servicesOf(did: string, entries: DidRequest['service']): DidService[] {
  const services = entries.map(({ id, type, serviceEndpoint }, at) => {
    const fragment = id?.startsWith(`${did}#`) ? id.slice(did.length + 1) : (id ?? `service-${at + 1}`).replace(/^#/, '');
    if (!/^[\w.~-]+$/.test(fragment)) fail('invalid-request', { why: `service id ${id} is not a fragment` });
    if (!isEndpoint(serviceEndpoint))
      fail('invalid-request', { why: 'serviceEndpoint must be an absolute address, a list of them, or an object' });
    return { id: `${did}#${fragment}`, type, serviceEndpoint };
  });
  if (new Set(services.map(({ id }) => id)).size !== services.length)
    fail('invalid-request', { why: 'two services have the same id' });
  return services;
}

/** Schemes that run code, if somebody displays them as a link. */
const SCRIPT_SCHEME = /^(?:javascript|data|vbscript):/i;
/** No blanks and control characters, because browsers ignore them in front of the scheme. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}<>"]+$/iu;

export const isAddress = (value: string): boolean =>
  value.length <= 2000 && ADDRESS.test(value) && URL.canParse(value) && !SCRIPT_SCHEME.test(value);

const hasNoScript = (value: unknown): boolean =>
  typeof value === 'string'
    ? !SCRIPT_SCHEME.test(value.replace(/[\s\p{Cc}]/gu, ''))
    : typeof value !== 'object' || value === null || Object.values(value).every(hasNoScript);

function isEndpoint(value: unknown): boolean {
  if (typeof value === 'string') return isAddress(value);
  if (typeof value !== 'object' || value === null || JSON.stringify(value).length > 4000) return false;
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => !Array.isArray(one) && isEndpoint(one));
  return hasNoScript(value);
}
