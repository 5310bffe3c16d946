// The address for an authenticator app as a QR code: for a page, and for a terminal.
import { renderSVG, renderUnicodeCompact } from 'uqr';

/** Apps read nothing else, and nothing else should be turned into a code that people scan. */
const isOtpauth = (text: string): boolean => /^otpauth:\/\/totp\/\S+$/.test(text);

export function qrCode(uri: string, form: 'svg' | 'terminal'): string | undefined {
  if (!isOtpauth(uri)) return undefined;
  return form === 'svg' ? renderSVG(uri) : renderUnicodeCompact(uri);
}
