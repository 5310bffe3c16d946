// Documents do not name what is gone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentFaults, fileFaults, linkFaults } from './document-links.ts';

describe('Documents', () => {
  it('have no link that leads nowhere', () => assert.deepEqual(documentFaults(), []));

  it('are refused with a link to a file or a heading that is not there', () => {
    const faults = (text: string): string => linkFaults('docs/map.md', text).join();
    assert.match(faults('[a](adr/000-none.md)'), /the link to adr\/000-none\.md leads nowhere/);
    assert.match(faults('[a](../README.md#no-such-heading)'), /README\.md has no heading #no-such-heading/);
    assert.match(faults('[a](#no-such-heading)'), /docs\/map\.md has no heading/);
    assert.equal(faults('[a](../README.md#sixty-seconds) [b](#words) [c](adr) [d](https://example.org/none)'), '');
  });

  it('are refused with a file that is not there, where they tell which files to write', () => {
    const faults = (text: string): string[] => fileFaults('docs/developing/x.md', text);
    assert.deepEqual(faults('`src/none.ts`'), ['docs/developing/x.md names src/none.ts, which is not there']);
    assert.equal(faults("npm test -- 'src/none/*.test.ts'").length, 1);
    assert.deepEqual(faults("`scripts/`, 'scripts/*.test.ts', `src/x/NNN-noun.sql`, http://localhost:5000/console/groups"), []);
  });
});
