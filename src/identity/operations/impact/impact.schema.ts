// Wire format of what a deletion would do.
import { t } from '../../../platform/http/index.ts';
import { Links } from '../../ground/resource/index.ts';

/** Larger numbers are not counted. */
export const MAX_COUNT = 10_000;

export const Impact = t.object({
  impact: t.object({ counts: t.record(t.integer()), most: t.integer(), complete: t.boolean(), links: Links }),
});

t.name({ Impact });
