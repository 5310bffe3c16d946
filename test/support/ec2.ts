// People with EC2 keys, and requests that are signed with them.
import { createHmac } from 'node:crypto';
import { assertOk } from './answers.ts';
import { type ApiAnswer, type TestApi, uniqueName } from './api.ts';

export interface Ec2TestKey {
  readonly access: string;
  readonly secret: string;
}

/** Somebody with a key for a project of their own. */
export async function ec2Person(api: TestApi, roles: readonly string[] = ['member']) {
  const project = await api.make('project', { name: uniqueName('project') });
  const person = await api.persona(roles, { project: project.id });
  const path = `/v3/users/${person.user.id}/credentials/OS-EC2`;
  const answer = await api.post(path, { tenant_id: project.id }, { token: person.token });
  const key = assertOk(answer, 201).credential as Ec2TestKey;
  return { ...person, project, path, key };
}
export type Ec2Person = Awaited<ReturnType<typeof ec2Person>>;

/** A request in version 2, as services send it to /v3/ec2tokens. `now`: undefined for one without a time. */
export function signedV2({ access, secret }: Ec2TestKey, now: number | undefined) {
  const time: Record<string, string> = now === undefined ? {} : { Timestamp: new Date(now).toISOString() };
  const params: Record<string, string> = { Action: 'Test', SignatureMethod: 'HmacSHA256', SignatureVersion: '2', ...time };
  const query = Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signature = createHmac('sha256', secret).update(`GET\nlocalhost\n/\n${query}`).digest('base64');
  return { access, signature, verb: 'GET', host: 'localhost', path: '/', params };
}

/** A request in version 1, as services send it to /v3/s3tokens. */
export function signedS3({ access, secret }: Ec2TestKey, text = 'GET\n\n\nTue, 17 Nov 2026 09:00:00 GMT\n/bucket/file') {
  const signature = createHmac('sha1', secret).update(text).digest('base64');
  return { access, signature, token: Buffer.from(text).toString('base64') };
}

export const exchange = (api: TestApi, request: object, token?: string): Promise<ApiAnswer> =>
  api.post('/v3/ec2tokens', { credentials: request }, token === undefined ? {} : { token });
