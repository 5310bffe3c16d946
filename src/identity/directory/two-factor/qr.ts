// The otpauth URI for an authenticator app as a QR code, for a page or a terminal.
import { renderSVG, renderUnicodeCompact } from 'uqr';

/** Only otpauth URIs: people scan these codes, so nothing else must get into one. */
const isOtpauth = (text: string): boolean => /^otpauth:\/\/totp\/\S+$/.test(text);

export function qrCode(uri: string, form: 'svg' | 'terminal'): string | undefined {
  if (!isOtpauth(uri)) return undefined;
  return form === 'svg' ? renderSVG(uri) : renderUnicodeCompact(uri);
}
