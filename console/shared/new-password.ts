// Passwords that nobody has to think of.

/** Without letters and digits that look alike. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz';
const CLASSES = [LETTERS, LETTERS.toUpperCase().replace('I', ''), '23456789'];
const ALL = CLASSES.join('');
const GROUPS = 4;
const GROUP = 5;

function randomLetter(): string {
  const [byte] = crypto.getRandomValues(new Uint8Array(1));
  // Bytes beyond the last whole round would make some letters more likely.
  return byte! < 256 - (256 % ALL.length) ? ALL[byte! % ALL.length]! : randomLetter();
}

/** More than 110 bits, and something of each kind that rules for passwords ask for. */
export function newPassword(): string {
  const groups = Array.from({ length: GROUPS }, () => Array.from({ length: GROUP }, randomLetter).join(''));
  const text = groups.join('-');
  return CLASSES.every((letters) => [...text].some((letter) => letters.includes(letter))) ? text : newPassword();
}
