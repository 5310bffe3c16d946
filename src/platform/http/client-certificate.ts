// The certificate of a client (mutual TLS): of its own connection, or behind a proxy that ends TLS, from a header of that proxy.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import proxyAddress from '@fastify/proxy-addr';

export interface ClientCertificateOptions {
  /** In which the proxy sends it. Without one, only connections of our own count. */
  readonly header: string | undefined;
  /** Who may send the header. */
  readonly trustedProxies: readonly string[];
}

export type CertificateOf = (request: IncomingMessage) => X509Certificate | undefined;

const MAX_LENGTH = 16 * 1024;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * As nginx writes it (PEM with percent signs), as Caddy does (base64 of the DER), or as RFC 9440 wants (that between colons). Undefined if it is
 * none of these: then there is no certificate.
 */
export function readCertificateHeader(value: string | undefined): X509Certificate | undefined {
  if (value === undefined || value === '' || value.length > MAX_LENGTH) return undefined;
  try {
    const pem = decodeURIComponent(value.trim());
    const text =
      /^-----BEGIN CERTIFICATE-----([\s\S]*)-----END CERTIFICATE-----\s*$/.exec(pem)?.[1] ?? /^:(.*):$/.exec(pem)?.[1] ?? pem;
    const base64 = text.replace(/\s/g, '');
    if (!BASE64.test(base64)) return undefined;
    const der = Buffer.from(base64, 'base64');
    const certificate = new X509Certificate(der);
    // Nothing after it.
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

export function createCertificateOf({ header, trustedProxies }: ClientCertificateOptions): CertificateOf {
  const name = header?.toLowerCase();
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return ({ socket, headers }) => {
    // The peer itself, not who it says to speak for: only its own word counts.
    if (isTrusted(socket.remoteAddress ?? '', 0)) {
      const value = name === undefined ? undefined : headers[name];
      // The certificate of the connection is that of the proxy, and proves no client. Given twice, nobody knows which one is meant.
      return typeof value === 'string' ? readCertificateHeader(value) : undefined;
    }
    return (socket as Partial<TLSSocket>).getPeerX509Certificate?.();
  };
}
