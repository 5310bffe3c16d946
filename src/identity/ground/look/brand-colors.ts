// Colours from the one colour of the brand, such that texts can be read (WCAG 2.2, 1.4.3: a contrast of 4.5).

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The grounds that links and buttons stand on: --paper and --ground of the style. */
const LIGHT_GROUND: Rgb = [238, 241, 245];
const DARK_GROUND: Rgb = [26, 34, 44];
const READABLE = 4.5;

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
const hexOf = (color: Rgb): string => `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The colour itself if it can be read on the ground, else as little darker or lighter as needed. */
function readableOn(ground: Rgb, color: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < 20; step++) {
    const mixed = color.map((part, at) => part + ((towards[at]! - part) * step) / 20) as unknown as Rgb;
    if (contrast(mixed, ground) >= READABLE) return mixed;
  }
  return towards;
}

const inkOn = (color: Rgb): Rgb => (contrast(WHITE, color) >= contrast(BLACK, color) ? WHITE : BLACK);

/** The colour of a button on a light ground, and that of its text. */
export function inkAndColor(hex: string): { readonly color: string; readonly ink: string } {
  const color = readableOn(LIGHT_GROUND, rgbOf(hex), BLACK);
  return { color: hexOf(color), ink: hexOf(inkOn(color)) };
}

/** The part of the style that sets the colour of the brand. */
export function brandColors(hex: string): string {
  const { color, ink } = inkAndColor(hex);
  const dark = readableOn(DARK_GROUND, rgbOf(hex), WHITE);
  return `:root { --brand: ${color}; --brand-ink: ${ink}; }
@media (prefers-color-scheme: dark) { :root { --brand: ${hexOf(dark)}; --brand-ink: ${hexOf(inkOn(dark))}; } }
`;
}

export type Scheme = 'light' | 'dark';

/** A style that follows the system, as it is in one of the two. */
export const forScheme = (style: string, scheme: Scheme): string =>
  style
    .replaceAll('@media (prefers-color-scheme: dark)', scheme === 'dark' ? '@media all' : '@media not all')
    .replace('color-scheme: light dark', `color-scheme: ${scheme}`);
