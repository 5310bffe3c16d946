// Replays the requests of Keyrock's client library, and checks that the answers contain what it reads from them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../test/support/api.ts';
import { makeOrganization, makePerson } from '../../test/support/applications.ts';
import { calls } from './calls.ts';
import { registrationCalls } from './registration-calls.ts';

/** JSON as Python writes it, with a space after each comma and colon. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonJson(member)}`);
  return `{${members.join(', ')}}`;
}

onUsualDatabase('The Keyrock client library', (api) => {
  const ids = new Map<string, string>();
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (whole, name: string) => ids.get(name) ?? whole);

  it('has a user and an organization to work with', async () => {
    const person = await makePerson(api);
    ids.set('user', person.user.id);
    ids.set('user_name', person.user.name);
    ids.set('organization', (await makeOrganization(api, person)).id);
  });

  for (const { name: call, method, path, body, status, unwraps, learns } of [...calls, ...registrationCalls]) {
    it(`${call}: ${method} ${path}`, async () => {
      const sent = body === undefined ? undefined : filled(pythonJson(body));
      const answer = await api.request(method, filled(path), { body: sent });
      assert.equal(answer.status, status, answer.text);
      if (unwraps === undefined) {
        assert.equal(answer.text, '');
        return;
      }
      assert.equal(answer.headers.get('content-type'), 'application/json');
      const unwrapped = answer.body[unwraps];
      assert.ok(unwrapped !== undefined, answer.text);
      for (const [name, field] of Object.entries(learns ?? {})) ids.set(name, unwrapped[field]);
    });
  }
});
