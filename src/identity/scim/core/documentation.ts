// What the documentation says of both APIs.
import { t } from '../../../platform/http/index.ts';
import { MAX_COUNT } from './requests.ts';

export const projected = {
  attributes: 'Names by commas: show only these, and what is always shown.',
  excludedAttributes: 'Names by commas: show everything but these.',
};

/** The parameters of a list, in a query or in a message. */
export const searched = (defaultCount: number) => ({
  filter: 'Only those that match, as userName eq "anna" (RFC 7644, 3.4.2.2).',
  startIndex: 'The first to show, counted from 1.',
  count: `How many to show: ${MAX_COUNT} at most, ${defaultCount} when it is not given.`,
  sortBy: 'The attribute to sort by.',
  sortOrder: 'ascending, or descending.',
  ...projected,
});

/** Of a patch. */
export const operations = t.array(
  t.open(
    { op: t.string({ description: 'add, replace or remove, in any case.' }) },
    { path: t.string({ description: 'What to change, as emails[type eq "work"].value.' }), value: t.unknown() },
  ),
  { minItems: 1, maxItems: 1000 },
);
