// Plots as SVG: lines over the number of users, both axes logarithmic. They follow the theme of the reader, and every line also has a
// mark of its own and its name at its end, so that colour is not needed to read them.

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
}

const [WIDTH, HEIGHT] = [760, 400];
const FRAME = { left: 104, right: 178, top: 48, bottom: 58 };
const MARKS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'bar'] as const;
/** Light, then dark. Told apart also by people who see no red or green. */
const COLORS = [
  ['#6b7280', '#a3afbf'],
  ['#1d4ed8', '#8ab0ff'],
  ['#0f766e', '#5eead4'],
  ['#b45309', '#fbbf24'],
  ['#a21caf', '#f0abfc'],
  ['#be123c', '#fda4af'],
] as const;
/** Names at the ends of lines are this far apart. */
const NAME_GAP = 17;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (found) => `&#${found.codePointAt(0)};`);
const at = (value: number): string => value.toFixed(1);

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #16202c }
  .title { font-size: 15px; font-weight: 600 }
  .ground { fill: #fff }
  .grid { stroke: #d5dbe3; stroke-width: 1 }
  .soft { fill: #5a6675 }
  .line { fill: none; stroke-width: 2.5 }
  ${COLORS.map(([light], n) => `.c${n} { stroke: ${light}; fill: ${light} } .line.c${n} { fill: none }`).join('\n  ')}
  @media (prefers-color-scheme: dark) {
    text { fill: #e7ecf3 }
    .ground { fill: #10161d }
    .grid { stroke: #38434f }
    .soft { fill: #a3afbf }
    ${COLORS.map(([, dark], n) => `.c${n} { stroke: ${dark}; fill: ${dark} } .line.c${n} { fill: none }`).join('\n    ')}
  }`;

/** The powers of ten around some values; at least two, so that the axis has a length. */
function decades(values: readonly number[]): { readonly low: number; readonly high: number } {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)) - 1e-9);
  return { low, high: Math.max(high, low + 1) };
}

const tickName = (power: number): string => (power < 0 ? (10 ** power).toString() : (10 ** power).toLocaleString('en'));

function mark(kind: (typeof MARKS)[number], x: number, y: number, color: string): string {
  const r = 4.5;
  const path = {
    circle: `<circle class="${color}" cx="${at(x)}" cy="${at(y)}" r="${r}"/>`,
    square: `<rect class="${color}" x="${at(x - r)}" y="${at(y - r)}" width="${2 * r}" height="${2 * r}"/>`,
    triangle: `<path class="${color}" d="M${at(x)} ${at(y - r - 1)}l${r + 1} ${2 * r}h${-2 * (r + 1)}z"/>`,
    diamond: `<path class="${color}" d="M${at(x)} ${at(y - r - 1)}l${r + 1} ${r + 1}l${-(r + 1)} ${r + 1}l${-(r + 1)} ${-(r + 1)}z"/>`,
    cross: `<path class="line ${color}" d="M${at(x - r)} ${at(y - r)}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}"/>`,
    bar: `<path class="line ${color}" d="M${at(x)} ${at(y - r - 2)}v${2 * r + 4}"/>`,
  };
  return path[kind];
}

/** Moves names down until none covers another. */
function spread(wanted: readonly number[]): number[] {
  const order = wanted.map((y, n) => ({ y, n })).sort((one, other) => one.y - other.y);
  const placed: number[] = [];
  let free = Number.NEGATIVE_INFINITY;
  for (const { y, n } of order) {
    placed[n] = Math.max(y, free);
    free = placed[n]! + NAME_GAP;
  }
  return placed;
}

export function svgOf({ title, x, y, lines: all }: Plot): string {
  const lines = all.filter(({ points }) => points.length > 0);
  const points = lines.flatMap((line) => line.points);
  const [over, up] = [decades(points.map(([value]) => value)), decades(points.map(([, value]) => value))];
  const [inner, tall] = [WIDTH - FRAME.left - FRAME.right, HEIGHT - FRAME.top - FRAME.bottom];
  const toX = (value: number): number => FRAME.left + ((Math.log10(value) - over.low) / (over.high - over.low)) * inner;
  const toY = (value: number): number => FRAME.top + tall - ((Math.log10(value) - up.low) / (up.high - up.low)) * tall;
  const powers = ({ low, high }: { low: number; high: number }): number[] =>
    Array.from({ length: high - low + 1 }, (_, n) => low + n);
  const grid = [
    ...powers(over).map((power) => {
      const place = at(toX(10 ** power));
      return `<path class="grid" d="M${place} ${FRAME.top}v${tall}"/><text class="soft" x="${place}" y="${FRAME.top + tall + 20}" text-anchor="middle">${tickName(power)}</text>`;
    }),
    ...powers(up).map((power) => {
      const place = toY(10 ** power);
      return `<path class="grid" d="M${FRAME.left} ${at(place)}h${inner}"/><text class="soft" x="${FRAME.left - 8}" y="${at(place + 4)}" text-anchor="end">${tickName(power)}</text>`;
    }),
  ];
  const names = spread(lines.map((line) => toY(line.points.at(-1)![1])));
  const drawn = lines.map((line, n) => {
    const color = `c${all.indexOf(line) % COLORS.length}`;
    const kind = MARKS[all.indexOf(line) % MARKS.length]!;
    const path = line.points.map(([a, b], m) => `${m === 0 ? 'M' : 'L'}${at(toX(a))} ${at(toY(b))}`).join('');
    const end = toX(line.points.at(-1)![0]);
    return [
      `<path class="line ${color}" d="${path}"/>`,
      ...line.points.map(([a, b]) => mark(kind, toX(a), toY(b), color)),
      `<text x="${at(end + 12)}" y="${at(names[n]! + 4)}">${escaped(line.name)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}
</style>
<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>
<text class="title" x="${FRAME.left}" y="28">${escaped(title)}</text>
${grid.join('\n')}
${drawn.join('\n')}
<text class="soft" x="${FRAME.left + inner / 2}" y="${HEIGHT - 14}" text-anchor="middle">${escaped(x)}</text>
<text class="soft" transform="translate(18 ${FRAME.top + tall / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>
</svg>
`;
}
