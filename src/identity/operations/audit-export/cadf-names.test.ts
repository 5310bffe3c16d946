// The names are those of Keystone's notifications (keystone/notifications.py) and of the specification (pycadf's taxonomy).
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { identityCadf } from './index.ts';

/** Actions begin with one of these (pycadf: ACTION_TAXONOMY). */
const ACTIONS = ['create', 'update', 'delete', 'disable', 'revoke', 'authenticate'];
const ID = '0123456789abcdef0123456789abcdef';

const event = (action: string, kind: string, detail: object = {}, more: object = {}) =>
  identityCadf({
    id: ID,
    at: 1_763_345_000,
    request_id: 'req-1',
    actor_id: 'fedcba9876543210fedcba9876543210',
    action,
    target_kind: kind,
    target_id: 'target',
    outcome: 'success',
    detail: JSON.stringify(detail),
    domain_id: 'default',
    application_id: null,
    user_id: null,
    ...more,
  });

describe('Audit events in CADF', () => {
  for (const [ours, kind, action, eventType, typeUri] of [
    ['user.created', 'user', 'created.user', 'identity.user.created', 'data/security/account/user'],
    ['user.updated', 'user', 'updated.user', 'identity.user.updated', 'data/security/account/user'],
    ['user.deleted', 'user', 'deleted.user', 'identity.user.deleted', 'data/security/account/user'],
    ['user.password_changed', 'user', 'updated.user', 'identity.user.updated', 'data/security/account/user'],
    ['group.created', 'group', 'created.group', 'identity.group.created', 'data/security/group'],
    ['group.member_removed', 'group', 'updated.group', 'identity.group.updated', 'data/security/group'],
    ['project.created', 'project', 'created.project', 'identity.project.created', 'data/security/project'],
    ['domain.deleted', 'domain', 'deleted.domain', 'identity.domain.deleted', 'data/security/domain'],
    ['role.created', 'role', 'created.role', 'identity.role.created', 'data/security/role'],
    ['region.deleted', 'region', 'deleted.region', 'identity.region.deleted', 'data/security/region'],
    ['endpoint.created', 'endpoint', 'created.endpoint', 'identity.endpoint.created', 'data/security/endpoint'],
    ['token.revoked', 'token', 'revoked.token', 'identity.token.revoked', 'data/security/credential'],
    [
      'consumer.created',
      'consumer',
      'created.OS-OAUTH2:consumer',
      'identity.OS-OAUTH2:consumer.created',
      'data/security/account',
    ],
    ['trust.created', 'trust', 'created.OS-TRUST:trust', 'identity.OS-TRUST:trust.created', 'data/security/trust'],
    ['user.logged_in', 'user', 'authenticate', 'identity.authenticate', 'service/security/account/user'],
    ['grant.created', 'role', 'created.role_assignment', 'identity.role_assignment.created', 'service/security/account/user'],
    ['grant.revoked', 'role', 'deleted.role_assignment', 'identity.role_assignment.deleted', 'service/security/account/user'],
  ] as const)
    it(`call ${ours} ${eventType}`, () => {
      const { event_type, payload } = event(ours, kind);
      assert.deepEqual([event_type, payload.action], [eventType, action]);
      assert.deepEqual(payload.target, { typeURI: typeUri, id: 'target' });
      assert.equal((payload.gatehouse as { action: string }).action, ours);
    });

  it('have who, from where, with which request, and why it failed', () => {
    const detail = { address: '192.0.2.7', user_agent: 'a browser', reason: 'password wrong' };
    const { payload, message_id, timestamp } = event('user.login_refused', 'user', detail, {
      outcome: 'failure',
      actor_id: null,
    });
    assert.equal(message_id, '01234567-89ab-cdef-0123-456789abcdef');
    assert.equal(timestamp, '2025-11-17 02:03:20.000000');
    assert.deepEqual(payload.initiator, {
      typeURI: 'service/security/account/user',
      id: 'target',
      user_id: 'target',
      host: { address: '192.0.2.7', agent: 'a browser' },
      request_id: 'req-1',
    });
    assert.deepEqual(payload.reason, { reasonType: 'password wrong' });
  });

  it('say what a role assignment was about, with Keystone’s words', () => {
    const detail = { group_id: 'g', target: 'project', target_id: 'p', inherited: true };
    const { payload } = event('grant.created', 'role', detail);
    const { role, group, project, inherited_to_projects } = payload;
    assert.deepEqual(
      { role, group, project, inherited_to_projects },
      { role: 'target', group: 'g', project: 'p', inherited_to_projects: true },
    );
  });

  it('begin all their actions with a word of the specification', () => {
    const sources = globSync('src/identity/**/*.ts').filter((path) => !path.includes('.test.'));
    const actions = sources.flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/\baudit\(\s*'([a-z0-9_]+\.[a-z0-9_]+)'/g),
    ]);
    assert.ok(actions.length > 80);
    for (const [, action] of actions) {
      const { payload } = event(action!, 'user');
      assert.ok(
        ACTIONS.some((word) => String(payload.action).startsWith(word)),
        `${action}: ${payload.action}`,
      );
    }
  });
});
