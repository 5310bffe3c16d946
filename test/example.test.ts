// The example of the guide, run as the guide says, by a person.
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { onDatabase, uniqueName } from './support/api.ts';
import { type ExampleApplication, examplePlace, startExample } from './support/example-application.ts';
import { TestBrowser } from './support/test-browser.ts';

const PASSWORD = 'a password of a test';

onDatabase('SQLite', 'The example of a web application', {}, (api) => {
  let example: ExampleApplication | undefined;
  after(() => example?.stop());

  it('greets a person who signed in, by name and roles, and signs them out', async () => {
    const place = await examplePlace();
    const { home } = place;
    const body = { name: 'Reports', ...place.uris };
    const { consumer } = (await api.post('/v3/OS-OAUTH2/consumers', { consumer: body })).body;
    const ann = await api.make('user', { name: uniqueName('ann'), password: PASSWORD });
    example = await startExample(place, api.url, consumer);

    const started = await fetch(`${home}/login`, { redirect: 'manual' });
    const session = started.headers.getSetCookie()[0]!.split(';')[0]!;
    const person = new TestBrowser(api);
    const page = await person.go(started.headers.get('location')!);
    const back = await person.answerForms(page, { name: ann.name, password: PASSWORD });
    assert.equal(back.redirectTarget?.origin, home);

    const callback = await fetch(back.redirectTarget!, { redirect: 'manual', headers: { cookie: session } });
    assert.equal(callback.status, 303, await callback.text());
    const signedIn = callback.headers.getSetCookie()[0]!.split(';')[0]!;
    const welcome = await (await fetch(home, { headers: { cookie: signedIn } })).text();
    assert.match(welcome, new RegExp(`Hello, ${ann.name}`));
    assert.match(welcome, /Roles: none/);

    const logout = await fetch(`${home}/logout`, { redirect: 'manual', headers: { cookie: signedIn } });
    assert.equal(new URL(logout.headers.get('location')!).pathname, '/openid/logout');
    const replayed = await fetch(back.redirectTarget!, { redirect: 'manual', headers: { cookie: session } });
    assert.equal(replayed.status, 500, 'a code works once');
  });
});
