// What follows from the definitions of all nouns. What is special about one is tested in its module.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../test/support/answers.ts';
import { type ApiAnswer, onEachDatabase, uniqueName } from '../../test/support/api.ts';
import { assertGuarded } from '../../test/support/guarded.ts';
import { creationRoute, exampleIdOf, itemPath, type MadeNouns, newOne } from '../../test/support/nouns.ts';
import { identityRoutes, nameOfRoute } from '../../test/support/routes.ts';
import { NOUN_NAMES, type NounNames } from './ground/noun-names.ts';
import { allNouns } from './nouns.ts';

/** The answers that the API document has, by the name of their route. */
const documented = new Map(identityRoutes().map((route) => [nameOfRoute(route), route.spec.documentation?.example?.answers]));

onEachDatabase('A noun', (api) => {
  const made: Partial<MadeNouns> = {};
  const uniqueNames = new Map(allNouns.map((noun) => [noun, uniqueName('noun')]));
  /** As in the document: with its address, its ids, and the identifiers that `newOne` made unique. */
  function asDocumented({ text }: ApiAnswer): unknown {
    let shown = text.replaceAll(api.url, 'http://127.0.0.1:5000');
    for (const noun of allNouns) if (made[noun.one]) shown = shown.replaceAll(made[noun.one].id, String(exampleIdOf(noun)));
    for (const unique of uniqueNames.values()) shown = shown.replaceAll(`/${unique}"`, '"');
    return JSON.parse(shown);
  }

  for (const noun of allNouns)
    it(`is created, shown, listed and changed as the API document says: ${noun.one}`, async () => {
      const { method, path, body } = newOne(noun, made, uniqueNames.get(noun));
      const created = await api.request(method, path, { body });
      made[noun.one] = assertOk(created, 201)[noun.one];
      assert.deepEqual(asDocumented(created), documented.get(creationRoute(noun))![201]);
      const one = `${noun.path}/${made[noun.one].id}`;
      assert.deepEqual(asDocumented(await api.get(one)), documented.get(`GET ${itemPath(noun)}`)![200]);
      const itemsOf = (list: unknown) => (list as Record<string, readonly { readonly id: string }[]>)[noun.many]!;
      const [listed] = itemsOf(documented.get(`GET ${noun.path}`)![200]);
      assert.ok(listed);
      const items = itemsOf(asDocumented(await api.get(noun.path)));
      assert.deepEqual(
        items.find(({ id }) => id === listed.id),
        listed,
      );
      const changed = await api.patch(one, { [noun.one]: noun.examples.change });
      assert.deepEqual(asDocumented(changed), documented.get(`PATCH ${itemPath(noun)}`)![200]);
      assertRefused(
        await api.patch(one, { [noun.one]: { id: 'another' } }),
        400,
        noun.isOnlyPut ? /\.id'.*not a property/ : /Cannot change [\w ]+ ID/,
      );
    });

  for (const noun of allNouns)
    it(`is changed by administrators only, and seen by those whom its name says: ${noun.one}`, async () => {
      const [creation, change] = [newOne(noun, made), { [noun.one]: noun.examples.change }];
      const one = { path: `${noun.path}/${made[noun.one].id}`, missing: `${noun.path}/nothing` };
      const project = await api.make('project', { name: uniqueName('project') });
      const outsiders = [
        (await api.persona(['member'], { project: project.id })).token,
        (await api.persona(['reader'], { domain: 'default' })).token,
      ];
      const reader = (await api.persona(['reader'], 'system')).token;
      const before = assertOk(await api.get(one.path));
      await assertGuarded(
        api,
        [...outsiders, reader],
        [creation, { ...one, method: 'PATCH', body: change }, { ...one, method: 'DELETE' }],
      );
      assert.deepEqual(assertOk(await api.get(one.path)), before);
      const { isOpen }: NounNames = NOUN_NAMES[noun.one];
      for (const path of [noun.path, one.path])
        for (const token of isOpen ? [reader, ...outsiders] : [reader]) assertOk(await api.get(path, { token }));
      const seen = ['GET', 'HEAD'].flatMap((method) => [
        { method, path: noun.path },
        { ...one, method },
      ]);
      await assertGuarded(api, isOpen ? [] : outsiders, seen);
    });

  for (const noun of allNouns.toReversed())
    it(`is gone when it was deleted: ${noun.one}`, async () => {
      const one = `${noun.path}/${made[noun.one].id}`;
      assertOk(await api.delete(one), 204);
      for (const method of ['GET', 'DELETE']) assertRefused(await api.request(method, one), 404, /^Could not find /);
    });
});
