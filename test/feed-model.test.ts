// Everything that can happen around the feed of changes, in every order, within small bounds: no answer from memory is older than the limit.
// And with any one guard removed there is one, so that each is needed, and the model would show a mistake.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inFullRun } from './support/extent.ts';
import { type Bounds, FeedModel, GUARDS, type Guard } from './support/feed-model.ts';

const WORLDS: Readonly<Record<string, Bounds>> = {
  'two transactions, and a lost connection': { steps: 2, writers: 2, cuts: 1 },
  'a process that sleeps for long': { steps: 3, writers: 1 },
  'a crash, behind a pooler': { steps: 1, writers: 2, rollbacks: 1, crashes: 1 },
  'a takeover that loses what was acknowledged, behind a pooler': { steps: 1, writers: 2, failovers: 1 },
  'rows that are deleted': { steps: 1, writers: 1, deletions: 2 },
  'a clock that is set back': { steps: 2, writers: 1, clockSteps: 1 },
  'a standby that answers': { steps: 2, writers: 1, cuts: 1, standby: true },
  'all of it': { steps: 1, writers: 1, cuts: 1, crashes: 1, failovers: 1, deletions: inFullRun(1, 0) },
};

/** Where the guard is needed. */
const SHOWN_BY: Readonly<Record<Guard, string>> = {
  'reads what was running at the last reading': 'two transactions, and a lost connection',
  'forgets everything on a session that it does not know': 'a crash, behind a pooler',
  'forgets everything after rows were deleted that it has not read': 'rows that are deleted',
  'forgets everything after a lost connection': 'two transactions, and a lost connection',
  'takes the time of the question, not of the answer': 'two transactions, and a lost connection',
  'believes a reading for a limited time only': 'two transactions, and a lost connection',
  'measures with a clock that only goes forward': 'a clock that is set back',
  'does not believe a standby': 'a standby that answers',
  'does not keep what was read before a change': 'two transactions, and a lost connection',
};

describe('The feed of changes never lets memory answer with what is older than the limit', () => {
  for (const [name, bounds] of Object.entries(WORLDS))
    it(`with ${name}`, () => {
      const { stale, states } = new FeedModel(bounds).explore();
      assert.equal(stale, undefined);
      assert.ok(states > 1000, `${states} states: something never happens`);
    });
});

describe('An old answer is found if a process no longer', () => {
  for (const guard of GUARDS)
    it(guard, () => assert.ok(new FeedModel(WORLDS[SHOWN_BY[guard]]!, guard).explore().stale, 'nothing shows that it is needed'));
});
