// What a credential holds, by its type.
import { createHash } from 'node:crypto';
import { fail } from '../../ground/faults.ts';

export const TOTP = 'totp';
export const EC2 = 'ec2';

/** A key for EC2 and S3: a program signs its requests with `secret`, and names it by `access`. */
export interface Ec2Blob {
  readonly access: string;
  readonly secret: string | null;
  /** What Keystone stores there for keys of trusts, application credentials and OAuth1. */
  readonly delegations: Readonly<Record<(typeof DELEGATION_KEYS)[number], unknown>>;
}

const DELEGATION_KEYS = ['trust_id', 'app_cred_id', 'access_token_id', 'access_id'] as const;

/** Keystone writes the type in any case when it stores a key, but finds only `ec2`. */
export const isEc2 = (type: string): boolean => type.toLowerCase() === EC2;

/** Keystone's id: a key is found by its name, and no name is used twice. */
export const idOfAccessKey = (access: string): string => createHash('sha256').update(access).digest('hex');

/** Undefined when it is not the blob of a key. */
export function readEc2Blob(text: string): Ec2Blob | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { access, secret } = fields;
  if (typeof access !== 'string' || access === '') return undefined;
  const delegations = Object.fromEntries(DELEGATION_KEYS.map((key) => [key, fields[key] ?? null])) as Ec2Blob['delegations'];
  return { access, secret: typeof secret === 'string' && secret !== '' ? secret : null, delegations };
}

const refuse = (field: string, why: string): never => fail('request.bad_value', { field, why });

/**
 * Refuses keys that no request could name. The key of an authenticator app may be any text, as in Keystone: one that is not base32 has no
 * codes, and nobody is asked for a code because of a credential.
 */
export function checkContent({ type, blob, projectId }: { type: string; blob: string; projectId: string | null }): void {
  if (!isEc2(type)) return;
  if (projectId === null) refuse('project_id', 'an ec2 credential needs a project');
  if (!readEc2Blob(blob)) refuse('blob', 'the blob of an ec2 credential must be a JSON object with the string access');
}

/** As Keystone: a change of a key does not change what it was passed on by. */
export function checkSameDelegation(before: string, after: string): void {
  const [old, changed] = [readEc2Blob(before), readEc2Blob(after)];
  for (const key of DELEGATION_KEYS)
    if (old && changed && JSON.stringify(old.delegations[key]) !== JSON.stringify(changed.delegations[key]))
      fail('credential.delegation_fixed', { key });
}

/** What the sealed blob of a credential is bound to. */
export const sealContext = (id: string): string => `credentials/${id}`;
