// `npm run languages`: how much of each language is there. `npm run languages -- de` also names the texts that it lacks.
import { LANGUAGE_TABLE, LANGUAGE_TAGS } from '../src/platform/languages/index.ts';
import { reportOn } from './language-texts.ts';

const asked = process.argv[2];
for (const tag of LANGUAGE_TAGS.filter((one) => asked === undefined || one === asked)) {
  console.log(`${tag} ${LANGUAGE_TABLE[tag].name}`);
  for (const { area, count, missing, left } of await reportOn(tag)) {
    console.log(`  ${area}: ${count - missing.length} of ${count} texts`);
    for (const name of left) console.log(`    not in English: ${name}`);
    if (asked !== undefined) for (const name of missing) console.log(`    lacks ${name}`);
  }
}
