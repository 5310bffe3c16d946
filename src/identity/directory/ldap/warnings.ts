// What the log says at the start about settings with which passwords can be read on the network.
import { isIP } from 'node:net';
import type { Log } from '../../../platform/log/index.ts';
import type { LdapSettings } from '../domain-settings/index.ts';

const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

const isThisMachine = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

export function warnOfPlainText(log: Log, domainId: string, { url, useTls, tlsReqCert }: LdapSettings): void {
  const remote = url.filter((one) => !isThisMachine(hostOf(one)));
  const plain = useTls ? [] : remote.filter((one) => one.startsWith('ldap:'));
  if (plain.length > 0)
    log.warn(
      { domain: domainId, servers: plain },
      'passwords go to the directory in clear text: use ldaps:// or set use_tls = true in [ldap]',
    );
  if (remote.length > plain.length && tlsReqCert !== 'demand')
    log.warn(
      { domain: domainId, tls_req_cert: tlsReqCert },
      'any certificate of the directory is accepted, so passwords can be read by whoever is in between: set tls_req_cert = demand',
    );
}
