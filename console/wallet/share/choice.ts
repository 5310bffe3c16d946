// What the person chose to share: one option of each set of queries, a credential for each query, and one of its claim sets.
import type { Match, Path, PresentationPreview, PresentedCredential, PreviewQuery, QuerySet } from '../types.ts';

/** Nothing of an optional set is shared. */
export const NOTHING = -1;

interface QueryChoice {
  readonly credentialId: string;
  readonly claimSet: number | undefined;
}

export class Choice {
  readonly #preview: PresentationPreview;
  readonly #options: number[];
  readonly #queries = new Map<string, QueryChoice>();

  constructor(preview: PresentationPreview) {
    this.#preview = preview;
    this.#options = this.sets.map((set) => (set.required ? set.options.findIndex((option) => this.isPossible(option)) : NOTHING));
    for (const { id, matches } of preview.query) if (matches[0]) this.choose(id, matches[0].credentialId);
  }

  /** Without sets, all queries are one option. */
  get sets(): readonly QuerySet[] {
    return this.#preview.sets ?? [{ options: [this.#preview.query.map(({ id }) => id)], required: true }];
  }

  query(id: string): PreviewQuery {
    return this.#preview.query.find((one) => one.id === id)!;
  }

  isPossible(option: readonly string[]): boolean {
    return option.every((id) => this.query(id).matches.length > 0);
  }

  /** In a format that the wallet does not know, so that it cannot be received, either. */
  unknownIn(option: readonly string[]): readonly PreviewQuery[] {
    return option.map((id) => this.query(id)).filter(({ supported }) => !supported);
  }

  /** Why nothing can be shared: every option of a required set has one of these. */
  get unknown(): readonly PreviewQuery[] {
    const stuck = this.sets.filter(
      ({ options, required }) => required && options.every((option) => this.unknownIn(option).length > 0),
    );
    return stuck.flatMap(({ options }) => this.unknownIn(options[0] ?? []));
  }

  optionOf(set: number): number {
    return this.#options[set]!;
  }

  chooseOption(set: number, option: number): void {
    this.#options[set] = option;
  }

  choose(queryId: string, credentialId: string, claimSet?: number): void {
    const match = this.query(queryId).matches.find((one) => one.credentialId === credentialId)!;
    this.#queries.set(queryId, { credentialId, claimSet: claimSet ?? match.claimSets?.[0]?.index });
  }

  /** The queries that are answered, once each. */
  get answered(): readonly PreviewQuery[] {
    const ids = this.sets.flatMap(({ options }, at) => options[this.optionOf(at)] ?? []);
    return [...new Set(ids)].map((id) => this.query(id)).filter(({ matches }) => matches.length > 0);
  }

  chosen(queryId: string): { readonly match: Match; readonly claimSet: number | undefined; readonly disclosed: readonly Path[] } {
    const { credentialId, claimSet } = this.#queries.get(queryId)!;
    const match = this.query(queryId).matches.find((one) => one.credentialId === credentialId)!;
    const disclosed = match.claimSets?.find(({ index }) => index === claimSet)?.disclosed ?? match.disclosed;
    return { match, claimSet, disclosed };
  }

  /** What the service is told: exactly what the page shows. */
  get consent(): PresentedCredential[] {
    return this.answered.map(({ id }) => {
      const { match, disclosed } = this.chosen(id);
      return { queryId: id, credentialId: match.credentialId, disclosed };
    });
  }

  get claimSets(): Record<string, number> {
    return Object.fromEntries(
      this.answered.flatMap(({ id }) => {
        const { claimSet } = this.chosen(id);
        return claimSet === undefined ? [] : [[id, claimSet]];
      }),
    );
  }
}
