import assert from 'node:assert/strict';
import { afterEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../../../platform/log/index.ts';
import { startSweeper } from './sweeper.ts';

const EVERY_MS = 60_000;

describe('The sweeper', () => {
  afterEach(() => mock.timers.reset());

  for (const failing of [
    'revocations',
    'tokenKeys',
    'records',
    'passwords',
    'devices',
    'links',
    'mail',
    'previews',
    'notifications',
    'registrationKeys',
    'waiting',
    'accountDeletion',
    'invitations',
    'federation',
    'attempts',
    'messages',
    'consumers',
    'clientRegistration',
    'trusts',
    'oauth1',
    'issuedCredentials',
    'issuerKeys',
    'replicas',
    'users',
  ])
    it(`does everything else when one thing fails: ${failing}`, async () => {
      const [done, lines]: [string[], string[]] = [[], []];
      const step = (name: string, result: unknown) => async () => {
        done.push(name);
        if (name === failing) throw new Error(`${name} failed`);
        return result;
      };
      mock.timers.enable({ apis: ['setInterval'] });
      const job = startSweeper({
        revocations: { sweep: step('revocations', 1) },
        tokenKeys: { rotate: step('tokenKeys', undefined) },
        records: { sweep: step('records', 1) },
        passwords: { sweep: step('passwords', 1) },
        devices: { sweep: step('devices', 1) },
        groups: { sweep: async () => 0 },
        links: { sweep: step('links', 1) },
        mail: { sweep: step('mail', 1) },
        previews: { sweep: step('previews', 1) },
        auditExports: { sweep: async () => 0 },
        notifications: { sweep: step('notifications', 1) },
        registrationKeys: { sweep: step('registrationKeys', 1) },
        waiting: { sweep: step('waiting', 1) },
        accountDeletion: { deleteDue: step('accountDeletion', 1) },
        invitations: { sweep: step('invitations', 1) },
        federation: {
          sessions: { sweep: step('federation', 1) },
          attempts: { sweep: step('attempts', 1) },
          messages: { sweep: step('messages', 1) },
          linkBatches: { sweep: async () => undefined },
        },
        consumers: { sweep: step('consumers', 1) },
        clientRegistration: { sweep: step('clientRegistration', 1) },
        trusts: { sweep: step('trusts', 1) },
        oauth1AccessTokens: { sweep: step('oauth1', 1) },
        issuedCredentials: { sweep: step('issuedCredentials', 1) },
        issuerKeys: { sweep: step('issuerKeys', 1) },
        replicas: { sweep: step('replicas', 1) },
        signInRequests: { sweep: step('signInRequests', 1) },
        users: { fillNameForms: step('users', undefined), fillWords: async () => 0 },
        clock: { now: () => Date.now() },
        log: createLog('info', { write: (line: string) => void lines.push(line) }),
      } as unknown as Parameters<typeof startSweeper>[0]);
      mock.timers.tick(EVERY_MS);
      await setImmediate();
      await job.stop();
      assert.deepEqual([...done].sort(), [
        'accountDeletion',
        'attempts',
        'clientRegistration',
        'consumers',
        'devices',
        'federation',
        'invitations',
        'issuedCredentials',
        'issuerKeys',
        'links',
        'mail',
        'messages',
        'notifications',
        'oauth1',
        'passwords',
        'previews',
        'records',
        'registrationKeys',
        'replicas',
        'revocations',
        'signInRequests',
        'tokenKeys',
        'trusts',
        'users',
        'waiting',
      ]);
      assert.ok(lines.some((line) => line.includes('sweep failed') && line.includes(`${failing} failed`)));
      assert.ok(lines.some((line) => line.includes('deleted expired rows')));
    });
});
