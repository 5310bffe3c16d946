// The certificates that a server shows. Nothing is sent to it, and nothing it says is believed: the caller judges the chain.
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type DetailedPeerCertificate } from 'node:tls';
import { OutboundError, outboundErrorOf } from './error.ts';

const TIMEOUT_MS = 5_000;

export interface PeerCertificate {
  /** Milliseconds. */
  readonly validTo: number;
  /** Why it is not trusted, as a code such as CERT_HAS_EXPIRED; undefined if it is. */
  readonly error: string | undefined;
  /** The name of who signed it. */
  readonly issuer: string;
}

export function shownCertificate(host: string, port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      ...(isIP(host) ? {} : { servername: host }),
      // Judged below, so that the reason and the dates of a wrong one can be told.
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
    });
    socket.on('timeout', () => socket.destroy(new OutboundError('timeout', `${host} took too long to connect`)));
    socket.on('error', (error) => reject(outboundErrorOf(error, host)));
    socket.on('secureConnect', () => {
      const certificate = socket.getPeerCertificate() as DetailedPeerCertificate;
      const error = socket.authorizationError as unknown as string | Error | undefined;
      const isOtherName = !error && checkServerIdentity(host, certificate) !== undefined;
      socket.destroy();
      resolve({
        validTo: Date.parse(certificate.valid_to),
        error: isOtherName
          ? 'ERR_TLS_CERT_ALTNAME_INVALID'
          : error
            ? String((error as NodeJS.ErrnoException).code ?? error)
            : undefined,
        issuer: [certificate.issuer?.O ?? certificate.issuer?.CN ?? 'unknown'].flat().join(', '),
      });
    });
  });
}
