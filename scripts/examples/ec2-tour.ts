// Calls the operations about EC2 keys, with requests that are signed as programs sign them.
import { createHmac } from 'node:crypto';
import type { Recorder } from './recorder.ts';

export async function tourEc2({ call }: { call: Recorder['call'] }, userId: string): Promise<void> {
  const all = `/v3/users/${userId}/credentials/OS-EC2`;
  const { projects } = await call('GET', '/v3/auth/projects', { unrecorded: true });
  const { credential: key } = await call('POST', all, { body: { tenant_id: projects[0].id } });
  await call('GET', all);
  await call('GET', `${all}/${key.access}`);

  const params = { Action: 'DescribeInstances', SignatureVersion: '2', Timestamp: new Date().toISOString() };
  const query = Object.entries({ ...params, SignatureMethod: 'HmacSHA256' })
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const text = `GET\nec2.example.org\n/\n${query}`;
  const signature = createHmac('sha256', key.secret).update(text).digest('base64');
  const request = { access: key.access, signature, verb: 'GET', host: 'ec2.example.org', path: '/', params };
  await call('POST', '/v3/ec2tokens', { body: { credentials: request } });

  const signed = `GET\n\n\n${new Date().toUTCString()}\n/books/moby-dick.txt`;
  const proof = createHmac('sha1', key.secret).update(signed).digest('base64');
  const token = Buffer.from(signed).toString('base64');
  await call('GET', '/v3/OS-REVOKE/events');
  await call('POST', '/v3/s3tokens', { body: { credentials: { access: key.access, signature: proof, token } } });
}
