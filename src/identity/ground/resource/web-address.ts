// Addresses of pages and images that people and managers enter. Applications and pages make links of them, so nothing may run code, read a
// file or end an attribute of HTML. Those stored before are not handed out.

const MAX_LENGTH = 2048;
/** Browsers drop control characters, blanks and hidden characters, and would open another address than the one that was checked or read. */
const NEVER = /[\s\p{Cc}\p{Cf}\\<>"]/u;

const isClean = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && !NEVER.test(value);

const isWeb = (url: URL | null): boolean =>
  url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';

/** An absolute http or https URL. */
export const isWebAddress = (value: unknown): value is string =>
  isClean(value) && /^https?:\/\/[^/]/i.test(value) && isWeb(URL.parse(value));

/**
 * The same, or a path: Keyrock's images are at the portal that shows them, and Microsoft's validator sends words where SCIM has URLs. Not to
 * be handed out as an address.
 */
export const isWebReference = (value: unknown): value is string =>
  isClean(value) && isWeb(URL.parse(value, 'https://portal.invalid/'));
