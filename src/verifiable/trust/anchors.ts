// Trust anchors: a PEM file of certificates. It is read again when it changes, without a restart.
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Log } from '../../platform/log/index.ts';

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const CHECK_MS = 5_000;

/** They may have to be asked for. */
export type Anchors = () => readonly X509Certificate[] | Promise<readonly X509Certificate[]>;

export function parseAnchors(text: string): X509Certificate[] {
  return (text.match(PEM) ?? []).map((pem) => new X509Certificate(pem));
}

export const readAnchors = (file: string): X509Certificate[] => parseAnchors(readFileSync(file, 'utf8'));

/** Without a file no certificate is trusted. If the file becomes unreadable, the last content stays in use. */
export function createAnchors(file: string | undefined, log: Log): () => readonly X509Certificate[] {
  let anchors: readonly X509Certificate[] = [];
  let lastVersion = '';
  let checkedAt = Number.NEGATIVE_INFINITY;

  function reload(path: string): void {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (version === lastVersion) return;
      anchors = readAnchors(path);
      lastVersion = version;
      log.info({ anchors: anchors.length }, 'trust anchors read');
    } catch (error) {
      log.warn({ err: error }, 'trust anchors cannot be read; those read before stay');
    }
  }

  return () => {
    if (file !== undefined && performance.now() - checkedAt > CHECK_MS) {
      checkedAt = performance.now();
      reload(file);
    }
    return anchors;
  };
}
