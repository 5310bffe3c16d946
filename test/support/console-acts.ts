// What a screen of the console offers: its acts, and the rule and the request behind each.
import { texts } from '../../console/shared/words/en.ts';
import type { Ids, World } from './every-route.ts';

/** A button, a link that looks like one, or a box. */
export interface Act {
  readonly name: string | RegExp;
  /** A text in its row. Without such a row there is nothing to offer. */
  readonly row?: string;
  readonly rule: string;
  readonly ids?: Ids;
  /** What it would send. When it is not offered, the service must refuse it. */
  readonly request?: readonly [method: string, path: string, body?: unknown];
}

export interface ConsoleScreen {
  /** As in console/identity/screens.ts. */
  readonly route: string;
  /** Below /console. */
  readonly path: string;
  readonly acts: readonly Act[];
  /** The rules that open it: one of them. Without one it opens for everybody. */
  readonly opens?: readonly string[];
  /** All of these, too. */
  readonly needs?: readonly string[];
  readonly ids?: Ids;
}

export interface ConsoleWorld extends World {
  /** A role of the service that managers of a domain may not give. */
  readonly customRole: { readonly id: string; readonly name: string };
  /** What the user of the world has in a wallet. */
  readonly issued: { readonly id: string };
  readonly leaver: { readonly id: string; readonly name: string };
  /** Who waits for approval. */
  readonly waiting: { readonly id: string; readonly name: string };
}

/** Whatever the names are. */
export const any = (text: (...names: string[]) => string): RegExp => new RegExp(`^${text('.+', '.+')}$`);

/** Boxes of a list, and the button for all of them. */
export const choosing = (rule: string, ids?: Ids): Act[] => [
  { name: texts.chooseAll, rule, ...(ids ? { ids } : {}) },
  { name: any(texts.choose), rule, ...(ids ? { ids } : {}) },
];
