// The syntax tree of a regular expression.
import type { CharacterTest } from './characters.ts';

/** A text as code points. Python counts code points, not UTF-16 units. */
export type CodePoints = readonly number[];

/** Whether an anchor such as ^ or \b matches at a position. */
export type AnchorTest = (text: CodePoints, at: number) => boolean;

export type Node =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'anchor'; readonly test: AnchorTest }
  /** `behind` is the width of a lookbehind. A lookahead has none. */
  | { readonly kind: 'lookaround'; readonly node: Node; readonly behind: number | undefined; readonly negative: boolean }
  | { readonly kind: 'group'; readonly node: Node }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'alternation'; readonly options: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

/** Why an expression cannot be used. */
export class RegexProblem extends Error {}

/** The minimum and maximum number of characters that a node matches. */
export function widthOf(node: Node): readonly [min: number, max: number] {
  switch (node.kind) {
    case 'character':
      return [1, 1];
    case 'anchor':
    case 'lookaround':
      return [0, 0];
    case 'group':
      return widthOf(node.node);
    case 'sequence': {
      const widths = node.nodes.map(widthOf);
      return [widths.reduce((sum, [min]) => sum + min, 0), widths.reduce((sum, [, max]) => sum + max, 0)];
    }
    case 'alternation': {
      const widths = node.options.map(widthOf);
      return [Math.min(...widths.map(([min]) => min)), Math.max(...widths.map(([, max]) => max))];
    }
    case 'repeat': {
      const [min, max] = widthOf(node.node);
      // 0 times infinity would be NaN.
      return [min * node.min, max === 0 ? 0 : max * node.max];
    }
  }
}
