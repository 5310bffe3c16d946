// Access rules: the requests that a program may send with its token. Services check them for their own requests; this is the check for ours.

export interface AccessRule {
  readonly id: string;
  readonly service: string;
  readonly path: string;
  readonly method: string;
}

/** The type of this service in the catalog. */
const SERVICE = 'identity';
/** Paths that could be read in two ways match no rule. */
const AMBIGUOUS = /[%#]|\\|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/;

/** `*` and `{name}` stand for one segment or a part of one, `**` for any number of segments. Takes pattern times path steps at most. */
function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
  /** How many segments of the path the pattern so far may stand for. */
  let lengths = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const length of lengths) {
      if (part === '**') for (let more = length; more <= path.length; more++) next.add(more);
      else if (length < path.length && matchesSegment(part, path[length]!)) next.add(length + 1);
      if (part === '**') break; // The shortest comes first, and includes the others.
    }
    lengths = next;
  }
  return lengths.has(path.length);
}

/**
 * Without backtracking: the first fixed part begins the segment, the last one ends it, those between follow in order. Each wildcard stands for
 * something: the address of one thing is not that of the list.
 */
function matchesSegment(pattern: string, segment: string): boolean {
  const parts = pattern.replace(/\{[^}]*\}|\*+/g, '*').split('*');
  const [begin = '', end = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return segment === begin;
  if (!segment.startsWith(begin) || !segment.endsWith(end)) return false;
  // Empty where the two overlap.
  const middle = segment.slice(begin.length, segment.length - end.length);
  let at = 1;
  for (const part of parts.slice(1, -1)) {
    const found = middle.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length + 1;
  }
  return at <= middle.length;
}

export function allowsRequest(rules: readonly AccessRule[], method: string, path: string): boolean {
  if (AMBIGUOUS.test(path)) return false;
  // The router ignores a slash at the end.
  const segments = path.replace(/\/$/, '').split('/');
  return rules.some((rule) => rule.service === SERVICE && rule.method === method && matchesPath(rule.path.split('/'), segments));
}
