// Credentials issued to wallets: the credential itself, and whole requests with the proofs of keys, beside one bare ES256 signature.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { seedCredentials } from './credentials.ts';
import { logIn, loginBody, makeData, memberIds, startGatehouse } from './gatehouse.ts';
import type { Sample } from './load.ts';
import { cpuSeconds, output, startScript, temporaryFolder } from './processes.ts';
import { type Contender, measureInTurns } from './rounds.ts';
import type { Scenario } from './scenarios.ts';

const HOLDERS = 20;
/** Credentials, however many are in one request. */
const IN_ROUND = 200;
const AT_ONCE = 4;
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const CONFIGURATION = 'bench.sd_jwt';

interface Target {
  readonly url: string;
  readonly pid: number;
}

async function sent(url: string, init: RequestInit, status: number): Promise<any> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

const asJson = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Somebody's access token for the credential endpoint, by an offer. */
async function accessToken(url: string, userId: string): Promise<string> {
  const token = await logIn(url, loginBody({ id: userId }));
  const path = `${url}/v3/users/${userId}/OS-ROLE-CREDENTIALS/offers`;
  const ask = asJson({ offer: { credential_configuration_ids: [CONFIGURATION] } }, { 'X-Auth-Token': token });
  const { offer } = await sent(path, ask, 201);
  const { grants } = await sent(new URL(offer.uri).searchParams.get('credential_offer_uri')!, {}, 200);
  const body = new URLSearchParams({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': grants[PRE_AUTHORIZED]['pre-authorized_code'],
    tx_code: offer.tx_code,
  });
  return (await sent(`${url}/openid/token`, { method: 'POST', body }, 200)).access_token;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function proofOf(
  issuer: string,
  nonce: string,
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): string {
  const header = { alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: publicKey.export({ format: 'jwk' }) };
  const signed = `${encoded(header)}.${encoded({ aud: issuer, iat: Math.floor(Date.now() / 1000), nonce })}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Requests with so many keys each. They are made before the time is taken. */
function issuing(name: string, { url, pid }: Target, tokens: readonly string[], keys: number): Contender {
  const pairs = Array.from({ length: keys }, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  let next = 0;
  const request = async (): Promise<RequestInit> => {
    const { c_nonce: nonce } = await sent(`${url}/openid/credentials/nonce`, { method: 'POST' }, 200);
    const jwt = pairs.map((pair) => proofOf(url, nonce, pair));
    const headers = { Authorization: `Bearer ${tokens[next++ % tokens.length]}` };
    return asJson({ credential_configuration_id: CONFIGURATION, proofs: { jwt } }, headers);
  };
  return {
    name,
    async measure(): Promise<Sample> {
      const requests: RequestInit[] = [];
      for (let n = 0; n < IN_ROUND / keys; n++) requests.push(await request());
      const [began, cpu] = [performance.now(), cpuSeconds(pid)];
      const clients = Array.from({ length: AT_ONCE }, async () => {
        for (let one = requests.pop(); one; one = requests.pop()) await sent(`${url}/openid/credentials/credential`, one, 200);
      });
      await Promise.all(clients);
      const [elapsed, used] = [(performance.now() - began) / 1000, cpuSeconds(pid) - cpu];
      return { rate: IN_ROUND / elapsed, cpuMicros: (used / IN_ROUND) * 1e6, failed: 0 };
    },
  };
}

const script = (name: string, file: string, ...more: readonly string[]): Contender => ({
  name,
  measure: async (seconds) =>
    JSON.parse(await output(startScript(file, [String(seconds), ...more], { output: 'pipe' }))) as Sample,
});

export const credentialIssuing: Scenario = async (_services, pace) => {
  const scenario = 'issuing';
  const data = await makeData({ users: 1000, revocations: 0 });
  seedCredentials(data, 0);
  const service = await startGatehouse(data);
  const tokens: string[] = [];
  for (const id of memberIds(data.folder).slice(0, HOLDERS)) tokens.push(await accessToken(service.url, id));
  const bare = script('bare signature', 'key-work.ts', 'bare signature');
  const alone = script('credential made and signed', 'issuing-work.ts', temporaryFolder());
  const [one, ten] = ['credential issued, one key a request', 'credential issued, ten keys a request'];
  const requests = [issuing(one, service, tokens, 1), issuing(ten, service, tokens, 10)];
  const measurements = await measureInTurns([bare, alone, ...requests], pace);
  await service.stop();
  return [alone.name, one, ten].map((what) => {
    const ratio = measurements.cpuRatio(what, bare.name);
    return {
      scenario,
      what,
      figure: `${ratio.toFixed(2)} of a bare ES256 signature`,
      rate: measurements.rate(what),
      cpuMicros: measurements.cpuMicros(what),
      ...(what === alone.name ? { target: 'at least 0.2', ok: ratio >= 0.2 } : {}),
    };
  });
};
