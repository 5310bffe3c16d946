// Parts of the OpenAPI documents that both APIs share.
import { t } from '../../../../platform/http/index.ts';
import { MAX_COUNT } from './requests.ts';

export const projectionParameters = {
  attributes: 'Comma-separated attribute names. Returns only these and the attributes that are always returned.',
  excludedAttributes: 'Comma-separated attribute names. Returns all attributes except these.',
};

/** The parameters of a list, in a query or in a message. */
export const searchParameters = (defaultCount: number) => ({
  filter: 'Returns only resources that match, for example userName eq "anna" (RFC 7644, 3.4.2.2).',
  startIndex: 'Index of the first result, starting at 1.',
  count: `Number of results per page: at most ${MAX_COUNT}, default ${defaultCount}.`,
  sortBy: 'The attribute to sort by.',
  sortOrder: 'ascending or descending.',
  ...projectionParameters,
});

/** The operations of a patch. */
export const patchOperations = t.array(
  t.open(
    { op: t.string({ description: 'add, replace or remove (case-insensitive).' }) },
    { path: t.string({ description: 'The attribute to change, for example emails[type eq "work"].value.' }), value: t.unknown() },
  ),
  { minItems: 1, maxItems: 1000 },
);
