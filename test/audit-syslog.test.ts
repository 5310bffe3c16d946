// Audit events over syslog, to Debian's rsyslog as the other side: UDP, TCP and TLS.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { identityCadf } from '../src/identity/operations/audit-export/index.ts';
import { type CadfMessage, createDestinations, syslogMessage, syslogTarget } from '../src/platform/audit-export/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { newTimedId } from '../src/platform/ids.ts';
import { createOutbound } from '../src/platform/outbound/index.ts';
import { freePort } from './support/ports.ts';

const PATIENCE_MS = 60_000;

function message(name: string, outcome = 'success'): CadfMessage {
  return identityCadf({
    id: newTimedId(Date.now()),
    at: Math.floor(Date.now() / 1000),
    request_id: 'req-1',
    actor_id: null,
    action: 'user.updated',
    target_kind: 'user',
    target_id: 'u',
    outcome,
    // What a person could type: line ends, a second header, letters of other scripts.
    detail: JSON.stringify({ name: `${name}\n<110>1 - forged - - - - ñ 界` }),
    domain_id: null,
    application_id: null,
    user_id: null,
  });
}

describe('Audit events over syslog', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-syslog-'));
  const [got, ca] = [join(folder, 'got.log'), join(folder, 'cert.pem')];
  const ports = { udp: 0, tcp: 0, tls: 0 };
  let stop = async (): Promise<void> => {};

  before(async () => {
    for (const name of ['udp', 'tcp', 'tls'] as const) ports[name] = await freePort();
    const key = join(folder, 'key.pem');
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, '-keyout', key, '-out', ca];
    execFileSync('openssl', made, { stdio: 'ignore' });
    writeFileSync(
      join(folder, 'rsyslog.conf'),
      `global(workDirectory="${folder}" net.enableDNS="off" maxMessageSize="64k"
  defaultNetstreamDriverCAFile="${ca}" defaultNetstreamDriverCertFile="${ca}" defaultNetstreamDriverKeyFile="${key}")
module(load="imudp")
module(load="imtcp")
template(name="all" type="string" string="%pri% %app-name% %msgid% %timereported:::date-rfc3339% %msg%\\n")
input(type="imudp" address="127.0.0.1" port="${ports.udp}")
input(type="imtcp" address="127.0.0.1" port="${ports.tcp}")
input(type="imtcp" address="127.0.0.1" port="${ports.tls}" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
action(type="omfile" file="${got}" template="all")
`,
    );
    const server = spawn('rsyslogd', ['-n', '-f', join(folder, 'rsyslog.conf'), '-i', join(folder, 'pid')], { stdio: 'ignore' });
    const ended = once(server, 'exit');
    stop = async () => {
      server.kill('SIGTERM');
      await ended;
    };
  });
  after(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const lines = (): string[] => readFileSync(got, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  function destination(address: string, caFile?: string) {
    const config = { auditDays: undefined, auditFile: undefined, auditWebhookUrl: undefined, auditWebhookSecret: undefined };
    const deps = { service: 'identity', outbound: createOutbound([]), clock: systemClock } as const;
    return createDestinations({ ...config, auditSyslog: address, auditSyslogCaFile: caFile }, deps)[0]!;
  }

  for (const transport of ['tcp', 'tls', 'udp'] as const)
    it(`arrive whole, in order, each as one message: ${transport}`, async () => {
      const messages = Array.from({ length: 20 }, (_, index) =>
        message(`${transport}-${index}`, index % 2 ? 'failure' : 'success'),
      );
      const { send } = destination(`${transport}://127.0.0.1:${ports[transport]}`, transport === 'tls' ? ca : undefined);
      const first = lines().length;
      // The server may be starting. Datagrams that come too early are lost without an error, which is what the guide says of UDP.
      for (const end = Date.now() + PATIENCE_MS; lines().length < first + messages.length && Date.now() < end; await delay(200))
        if (lines().length === first) await send(messages).catch(() => {});
      const arrived = lines()
        .slice(first)
        .map((line) => /^(\d+) (\S+) (\S+) (\S+) +(\{.*\})$/.exec(line) ?? assert.fail(line));
      const events = arrived.map(([, , , , , json]) => JSON.parse(json!) as CadfMessage);
      assert.deepEqual(events.slice(-messages.length), JSON.parse(JSON.stringify(messages)));
      const [, priority, app, id, time] = arrived.at(-1)!;
      assert.deepEqual([priority, app, id], ['108', 'gatehouse-identity', 'identity.user.updated']);
      assert.equal(Math.floor(Date.parse(time!) / 1000), Math.floor(Date.parse(`${messages.at(-1)!.timestamp}Z`) / 1000));
    });

  it('are not taken for sent when the server is somebody else, breaks off, or is not there', async () => {
    await assert.rejects(destination(`tls://127.0.0.1:${ports.tls}`).send([message('to a stranger')]), /self.signed/);
    await assert.rejects(destination(`tcp://127.0.0.1:${await freePort()}`).send([message('to nobody')]), /ECONNREFUSED/);
    // One breaks off, the other closes politely without having read anything.
    for (const refuse of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
      const rude = createServer(refuse).listen(0, '127.0.0.1');
      await once(rude, 'listening');
      const { port } = rude.address() as { port: number };
      await assert.rejects(destination(`tcp://127.0.0.1:${port}`).send([message('to a rude one')]));
      rude.close();
    }
  });

  it('have a header of the RFC, and an address that is read strictly', () => {
    const text = syslogMessage(message('x'), 'identity');
    assert.match(
      text,
      /^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [!-~]+ gatehouse-identity \d+ identity\.user\.updated - \{[\x20-\x7e]+\}$/,
    );
    assert.deepEqual(syslogTarget('tls://logs.example.org'), { transport: 'tls', host: 'logs.example.org', port: 6514 });
    assert.deepEqual(syslogTarget('udp://[::1]:80'), { transport: 'udp', host: '::1', port: 80 });
    for (const wrong of ['logs.example.org', 'http://logs', 'tcp://', 'tcp://user@logs', 'tcp://logs/path', 'tcp://logs:99999'])
      assert.throws(() => syslogTarget(wrong), /must be/, wrong);
  });
});
