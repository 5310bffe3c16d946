// Whether the services run, and whether their public addresses lead to them.
import { publishedKeyIds } from '../identity/operations/administration/index.ts';
import { serviceUrl } from '../platform/config/index.ts';
import { loadInspection } from '../platform/database/index.ts';
import { createOutbound, OutboundError, shownCertificate } from '../platform/outbound/index.ts';
import { tlsOf } from '../setting-rules.ts';
import { readAsEveryone } from '../wallet/access/index.ts';
import { nodeKeyIds } from '../wallet/keys/index.ts';
import { FAIL_DAYS, WARN_DAYS } from './certificates.ts';
import type { DatabaseReport, ServiceName } from './databases.ts';
import { type Deployment, daysBetween, type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const CALL_MS = 5_000;

const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);
const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === 'http:' ? 80 : 443));
/** What is configured by the operator may be called, wherever it is. */
const callerOf = (url: URL) => createOutbound([`${url.hostname}:${portOf(url)}`]);

/** `stopped` is known only with SQLite, or if nothing listens. */
export type RunState = 'running' | 'stopped';

export async function checkService(name: ServiceName, deployment: Deployment): Promise<{ finding: Finding; state: RunState }> {
  const check = `service.${name}`;
  const config = deployment[name]!;
  const mend = 'start it (systemctl start gatehouse), or look at its log';
  const { isFolderLocked } = await loadInspection();
  const isLocked = config.databaseUrl === undefined && isFolderLocked(deployment.folder);
  // Any free port: only its process knows which.
  if (config.port === 0) {
    if (config.databaseUrl !== undefined || isLocked) return { finding: ok(check, 'its port is not fixed'), state: 'running' };
    return { finding: warn(check, 'it is stopped', mend), state: 'stopped' };
  }
  const url = new URL(serviceUrl({ ...config, url: undefined }, tlsOf(deployment.shared) !== undefined));
  try {
    await callerOf(url)({ method: 'GET', url: `${url.origin}/healthz`, timeoutMs: CALL_MS });
    return { finding: ok(check, `it answers at ${url.origin}`), state: 'running' };
  } catch (error) {
    // With TLS of its own, the certificate is not for this address. Something listens, and that is what matters here.
    if (url.protocol === 'https:' && !/ECONNREFUSED|too long/.test((error as Error).message))
      return { finding: ok(check, `it listens at ${url.origin}`), state: 'running' };
    if (isLocked)
      return {
        finding: fail(check, `a process has the data folder, but ${url.origin} does not answer`, 'look at its log; restart it'),
        state: 'stopped',
      };
    return { finding: warn(check, `nothing answers at ${url.origin}`, mend), state: 'stopped' };
  }
}

/** The certificate that people get at the address, from the service itself or from a proxy. */
async function checkShownCertificate(check: string, url: URL, now: number): Promise<Finding | undefined> {
  if (url.protocol !== 'https:') return undefined;
  const { error, validTo, issuer } = await shownCertificate(url.hostname.replace(/^\[|\]$/g, ''), portOf(url));
  const days = daysBetween(now, validTo);
  if (error === 'CERT_HAS_EXPIRED')
    return fail(check, `the certificate of ${url.host} has expired`, 'renew it where TLS ends, the proxy or the service');
  if (error === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return fail(check, `the certificate of ${url.host} is for another name`, 'get one for this name');
  if (error !== undefined)
    return fail(
      check,
      `the certificate of ${url.host} is not trusted (${error}; signed by ${issuer})`,
      'let the proxy send the whole chain; for a CA of your own set NODE_EXTRA_CA_CERTS, here and for the service',
    );
  if (days < FAIL_DAYS)
    return fail(
      check,
      `the certificate of ${url.host} expires in ${days} days`,
      'renew it where TLS ends, the proxy or the service',
    );
  if (days < WARN_DAYS)
    return warn(
      check,
      `the certificate of ${url.host} expires in ${days} days`,
      'renew it where TLS ends, the proxy or the service',
    );
  return undefined;
}

/** Key ids that the address publishes, and those in the database; undefined if there is nothing to compare. */
async function keyIds(
  report: DatabaseReport,
  get: (path: string) => Promise<unknown>,
): Promise<[shown: string[], stored: string[]] | undefined> {
  const { name, database, server } = report;
  if (!database) return undefined;
  if (name === 'identity') {
    const stored = await publishedKeyIds(database.read);
    // The first request would make the keys, and this changes nothing.
    if (stored.length === 0) return undefined;
    return [((await get('/openid/jwks')) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid), stored];
  }
  const stored = await readAsEveryone(server ? 'postgres' : 'sqlite', database.read, nodeKeyIds);
  const { verificationMethod = [] } = (await get('/.well-known/did.json')) as { verificationMethod?: { id: string }[] };
  return [verificationMethod.map(({ id }) => id.split('#')[1] ?? ''), stored];
}

export async function checkPublicAddress(report: DatabaseReport, deployment: Deployment, state: RunState): Promise<Finding> {
  const { name } = report;
  const check = `public-address.${name}`;
  const setting = `GATEHOUSE_${name.toUpperCase()}_URL`;
  const config = deployment[name]!;
  if (config.url === undefined)
    return warn(
      check,
      `${setting} is not set, so links lead to this machine only`,
      `set ${setting} to the address that people use`,
    );
  const url = new URL(config.url);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return fail(
      check,
      `${config.url} is not https: passwords cross the network unencrypted`,
      `put TLS in front, and set ${setting} with https`,
    );
  if (state === 'stopped') return ok(check, 'not asked, because the service is stopped');
  const call = callerOf(url);
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await call({
      method: 'GET',
      url: config.url + path,
      headers: { Accept: 'application/json' },
      timeoutMs: CALL_MS,
    });
    if (status !== 200) throw new OutboundError('failed', `${path} was answered ${status}`);
    return JSON.parse(body.toString());
  };
  try {
    const wrong = await checkShownCertificate(check, url, deployment.machine.now());
    if (wrong?.status === 'fail') return wrong;
    const { status } = (await get('/healthz')) as { status?: string };
    if (status !== 'ok') throw new OutboundError('failed', '/healthz has another answer');
    const ids = await keyIds(report, get);
    const [shown, stored] = ids ?? [[], []];
    if (ids && !shown.some((id) => stored.includes(id)))
      return fail(
        check,
        `another service answers at ${config.url}: its keys are not those of this database`,
        `point ${setting} and its proxy to this service, or give this command the settings of that one`,
      );
    return wrong ?? ok(check, `${config.url} leads to this service`);
  } catch (error) {
    const reason = error instanceof OutboundError ? error.message : reasonOf(error);
    return fail(
      check,
      `${config.url} does not lead to this service: ${reason}`,
      `check the name in the DNS, the firewall and the proxy; ${setting} must be what people type`,
    );
  }
}

/** The provider of a wallet node that runs without the identity service. */
export async function checkProvider({ wallet, shared }: Deployment): Promise<Finding[]> {
  const check = 'openid-provider';
  if (!wallet?.oidcIssuer) return [];
  try {
    const call = createOutbound(shared.outboundAllow);
    const { status, body } = await call({
      method: 'GET',
      url: `${wallet.oidcIssuer}/.well-known/openid-configuration`,
      timeoutMs: CALL_MS,
    });
    const { issuer } = (status === 200 ? JSON.parse(body.toString()) : {}) as { issuer?: string };
    if (issuer === wallet.oidcIssuer) return [ok(check, `${wallet.oidcIssuer} answers`)];
    return [
      fail(
        check,
        issuer === undefined ? `it answers with status ${status}` : 'the issuer in its metadata is another address',
        'set GATEHOUSE_WALLET_OIDC_ISSUER to the issuer exactly as the provider writes it',
      ),
    ];
  } catch (error) {
    return [
      fail(
        check,
        `${wallet.oidcIssuer}: ${error instanceof OutboundError ? error.message : reasonOf(error)}`,
        'check GATEHOUSE_WALLET_OIDC_ISSUER and the network path to it; private addresses must be in GATEHOUSE_OUTBOUND_ALLOW',
      ),
    ];
  }
}
