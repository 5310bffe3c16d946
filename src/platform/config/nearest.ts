// "Did you mean": the closest word by edit distance.

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The closest word, or undefined if it is too different. */
export function nearMatch(word: string, words: readonly string[]): string | undefined {
  const best = nearestMatch(word, words);
  return distance(word, best) <= best.length / 2 ? best : undefined;
}

export function nearestMatch(word: string, words: readonly string[]): string {
  return words.reduce((best, one) => (distance(word, one) < distance(word, best) ? one : best));
}
