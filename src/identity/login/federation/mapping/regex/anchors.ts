// Anchors: ^, $, \A, \Z, \b and \B.
import { word } from './characters.ts';
import type { Flags } from './sets.ts';
import type { AnchorTest } from './tree.ts';

const NEWLINE = 10;

export const textStart: AnchorTest = (_, at) => at === 0;
export const textEnd: AnchorTest = (text, at) => at === text.length;
const lineStart: AnchorTest = (text, at) => at === 0 || text[at - 1] === NEWLINE;
const lineEnd: AnchorTest = (text, at) => at === text.length || text[at] === NEWLINE;
/** Python's `$` also matches before a newline at the end of the text. */
const lastLineEnd: AnchorTest = (text, at) => at === text.length || (at === text.length - 1 && text[at] === NEWLINE);

export const caret = ({ multiline }: Flags): AnchorTest => (multiline ? lineStart : textStart);
export const dollar = ({ multiline }: Flags): AnchorTest => (multiline ? lineEnd : lastLineEnd);

/** In an empty text neither \b nor \B matches, as in Python up to 3.13. */
export function boundary({ ascii }: Flags, wanted: boolean): AnchorTest {
  const isWord = word(ascii);
  return (text, at) => {
    if (text.length === 0) return false;
    const before = at > 0 && isWord(text[at - 1]!);
    const after = at < text.length && isWord(text[at]!);
    return (before !== after) === wanted;
  };
}
