// The console in the languages that may lack texts: it reads them beside the English ones, and their words fit on a phone.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { words as english } from '../../console/identity/words/en/index.ts';
import { withEnglish } from '../../console/shared/languages.ts';
import { LANGUAGE_TABLE, LANGUAGE_TAGS } from '../../src/platform/languages/index.ts';
import { DESK, lookTroubles, PHONE, run } from '../support/accessibility.ts';
import { onDatabase } from '../support/api.ts';
import { makeApplication } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { goTo, openConsole } from '../support/console.ts';
import { makeUser } from '../support/relying-party.ts';

const chromium = usesChromium();

onDatabase('SQLite', 'The console in other languages', {}, (api) => {
  for (const tag of LANGUAGE_TAGS.filter((one) => !LANGUAGE_TABLE[one].isComplete))
    it(`has no barriers, and fits: ${LANGUAGE_TABLE[tag].name}`, async () => {
      const words = withEnglish(english, (await import(`../../console/identity/words/${tag}/index.ts`)).words);
      const person = await makeUser(api);
      const application = await makeApplication(api, { name: 'Berths' });
      const page = await openConsole(chromium, api, { options: { bypassCSP: true, locale: tag } });
      assert.equal(await run<string>(page, 'document.documentElement.lang'), tag);
      const troubles: string[] = [];
      for (const [path, heading] of [
        ['/people', words.people.title],
        ['/people/invitations', words.people.invitations],
        ...['overview', 'sign-in', 'roles'].map((tab) => [`/people/${person.id}?tab=${tab}`, person.name]),
        ['/organizations', words.organizations.title],
        ['/applications', words.applications.title],
        ...['settings', 'roles', 'people', 'credentials', 'try'].map((tab) => [
          `/applications/${application.id}?tab=${tab}`,
          'Berths',
        ]),
        ['/why', words.why.title],
        ['/provisioning', words.provisioning.title],
        ['/audit', words.audit.title],
        ...['settings', 'keys', 'roles'].map((tab) => [`/service?tab=${tab}`, words.service.title]),
      ] as [string, string][]) {
        await goTo(page, path, heading);
        for (const size of [PHONE, DESK]) {
          await page.setViewportSize(size);
          const wide = await run<number>(page, 'document.documentElement.scrollWidth - innerWidth');
          if (wide > 0) troubles.push(`${path} at ${size.width}: ${wide} px too wide`);
        }
        if (path === '/people' || path.includes('settings'))
          troubles.push(...(await lookTroubles(page, `${tag}${path.replace(/\W+/g, '-')}`)));
      }
      assert.deepEqual(troubles, []);
    });
});
