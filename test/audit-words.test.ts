// Every event has a sentence in the console, in both languages, and no sentence is left over.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVENT_PARTS, events as en } from '../console/identity/words/en/events.ts';
import { events as es } from '../console/identity/words/es/events.ts';
import { AUDIT_ACTIONS } from '../src/identity/ground/audit/index.ts';

const partsOf = (sentence: string): string[] => [...sentence.matchAll(/\{(\w*)\}/g)].map(([, name]) => name!).sort();

describe('Sentences of audit events', () => {
  it('are there for each event, in both languages', () => {
    for (const sentences of [en, es]) assert.deepEqual(Object.keys(sentences).sort(), [...AUDIT_ACTIONS].sort());
  });

  it('say the same in both languages, by parts that the console knows', () => {
    for (const [action, sentence] of Object.entries(en)) {
      const parts = partsOf(sentence);
      assert.deepEqual(partsOf(es[action as keyof typeof es]), parts, action);
      assert.deepEqual(
        parts.filter((part) => !EVENT_PARTS.includes(part as 'by')),
        [],
        action,
      );
    }
  });
});
