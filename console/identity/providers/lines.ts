// Several values in one field, one a line.
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** `a` or `a = b`, one a line. */
export const pairsOf = (text: string): [string, string][] =>
  linesOf(text).map((line) => {
    const [there = '', here = there] = line.split('=').map((one) => one.trim());
    return [there, here];
  });
export const pairText = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([there, here]) => (there === here ? there : `${there} = ${here}`)).join('\n');
