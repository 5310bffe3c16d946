// What an import did, for people and for programs. Lists are cut where they would not stay in memory; the counts are always right.
import type { Outcome, Remark, Taken } from '../identity/provisioning/import/index.ts';
import { shown } from '../platform/terminal.ts';
import type { SourceRemark, SourceSetting } from './source.ts';

const MOST_LINES = 100_000;
/** What the service keeps for its console. */
const MOST_KEPT = 500;
const MOST_SHOWN = 40;

type Counts = { read: number } & Record<Outcome, number>;

interface Line {
  readonly what: string;
  readonly why: string;
}

/** Which list a remark goes to. */
const SECTIONS = {
  administrator: 'administrators',
  name: 'names',
  left_out: 'left_out',
  hand: 'by_hand',
} as const;
type Section = (typeof SECTIONS)[Remark['about']] | 'not_taken';

const TITLES: Readonly<Record<Section, string>> = {
  not_taken: 'Not taken',
  administrators: 'Administrators',
  names: 'Names that nobody new could have here',
  left_out: 'Left out',
  by_hand: 'To be done by hand',
};

const NOT_TAKEN: readonly Outcome[] = ['clash', 'refused', 'gone'];

export class Report {
  readonly #head: Readonly<Record<string, unknown>>;
  readonly #counts = new Map<string, Counts>();
  readonly #lists: Record<Section, Line[]> = { administrators: [], not_taken: [], names: [], left_out: [], by_hand: [] };
  readonly #totals: Record<Section, number> = { administrators: 0, not_taken: 0, names: 0, left_out: 0, by_hand: 0 };
  #settings: readonly SourceSetting[] = [];

  constructor(head: Readonly<Record<string, unknown>>) {
    this.#head = head;
  }

  #countsOf(kind: string): Counts {
    let counts = this.#counts.get(kind);
    if (!counts) {
      counts = { read: 0, made: 0, merged: 0, changed: 0, unchanged: 0, clash: 0, refused: 0, gone: 0 };
      this.#counts.set(kind, counts);
    }
    return counts;
  }

  #say(section: Section, what: string, why: string): void {
    this.#totals[section]++;
    if (this.#lists[section].length < MOST_LINES) this.#lists[section].push({ what, why });
  }

  read(kind: string, count: number): void {
    this.#countsOf(kind).read += count;
  }

  unreadable(kind: string, { what, why }: Line): void {
    this.#countsOf(kind).read++;
    this.#countsOf(kind).refused++;
    this.#say('not_taken', what, why);
  }

  taken(kind: string, { outcome, what, why, remarks = [] }: Taken): void {
    this.#countsOf(kind)[outcome]++;
    if (NOT_TAKEN.includes(outcome)) this.#say('not_taken', what, why ?? outcome);
    for (const { about, text } of remarks) this.#say(SECTIONS[about], what, text);
  }

  remark({ about, text }: SourceRemark): void {
    this.#say(SECTIONS[about], '', text);
  }

  settings(settings: readonly SourceSetting[]): void {
    this.#settings = settings;
  }

  /** Whether anything was not taken. */
  get isComplete(): boolean {
    return this.#totals.not_taken === 0;
  }

  progress(kind: string): string {
    const { read, unchanged, clash, refused, gone } = this.#countsOf(kind);
    const notTaken = clash + refused + gone;
    return `${kind}: ${read} read${unchanged > 0 ? `, ${unchanged} known` : ''}${notTaken > 0 ? `, ${notTaken} not taken` : ''}`;
  }

  #json(most: number) {
    const list = (section: Section) => ({ total: this.#totals[section], lines: this.#lists[section].slice(0, most) });
    return {
      ...this.#head,
      kinds: Object.fromEntries(this.#counts),
      administrators: list('administrators'),
      not_taken: list('not_taken'),
      names: list('names'),
      left_out: list('left_out'),
      by_hand: list('by_hand'),
      settings: this.#settings,
    };
  }

  json(): Readonly<Record<string, unknown>> {
    return this.#json(MOST_LINES);
  }

  /** For the service. */
  kept(): Readonly<Record<string, unknown>> {
    return this.#json(MOST_KEPT);
  }

  text(isRehearsal: boolean): string {
    const lines: string[] = [];
    const would = isRehearsal ? 'would be ' : '';
    for (const [kind, { read, made, merged, changed, unchanged, clash, refused, gone }] of this.#counts) {
      const parts = [
        [made, `${would}made`],
        [merged, `${would}merged`],
        [changed, `${would}changed`],
        [unchanged, 'known already'],
        [clash, 'here already, not from this source'],
        [refused + gone, 'not taken'],
      ] as const;
      const said = parts.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : []));
      lines.push(`${kind.padEnd(24)}${String(read).padStart(8)} read${said.length > 0 ? `: ${said.join(', ')}` : ''}`);
    }
    for (const section of ['administrators', 'not_taken', 'names', 'left_out', 'by_hand'] as const) {
      const total = this.#totals[section];
      if (total === 0) continue;
      lines.push('', `${TITLES[section]} (${total}):`);
      const some = this.#lists[section].slice(0, MOST_SHOWN);
      for (const { what, why } of some) lines.push(`  ${shown(what ? `${what}: ${why}` : why, false)}`);
      if (total > some.length) lines.push(`  and ${total - some.length} more, which --json FILE writes`);
    }
    if (this.#settings.length > 0) lines.push('', 'Settings with a counterpart here:');
    for (const { key, value, from } of this.#settings)
      lines.push(`  ${shown(`${key}=${value}`, false)}   (${shown(from, false)})`);
    return lines.join('\n');
  }
}
