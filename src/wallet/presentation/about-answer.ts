// What an answer says about itself in the history: credentials and claims by the names that their issuers gave them. No values of claims. It
// has the names because the credentials may be purged later.
import type { Description } from '../credentials/index.ts';
import type { ExchangeSummary } from '../exchanges/index.ts';
import type { PreparedAnswer } from './vp-token.ts';

type Path = readonly unknown[];
type Presented = NonNullable<ExchangeSummary['presented']>[number];

/** A label may be for each element of a list (null). */
const isAbout = (label: Path, path: Path): boolean =>
  label.length === path.length && label.every((step, at) => step === path[at] || step === null || path[at] === null);

function namesOf({ displays, labels }: Description, disclosed: readonly Path[]): Pick<Presented, 'displays' | 'labels'> {
  return {
    displays: displays.flatMap(({ locale, name }) =>
      name === undefined ? [] : { ...(locale === undefined ? {} : { locale }), name },
    ),
    labels: labels
      .filter(({ path, names }) => names && disclosed.some((one) => isAbout(path, one)))
      .map(({ path, names }) => ({ path: [...path], names: [...names!] })),
  };
}

export const aboutAnswer = ({ presented, copies }: PreparedAnswer): Pick<ExchangeSummary, 'presented'> => ({
  presented: presented.map((one) => {
    const candidate = copies.find((copy) => copy.candidate.row.id === one.credentialId)?.candidate;
    if (!candidate) return { ...one };
    const { row, content } = candidate;
    return { ...one, type: row.type, ...(content.description ? namesOf(content.description, one.disclosed) : {}) };
  }),
});
