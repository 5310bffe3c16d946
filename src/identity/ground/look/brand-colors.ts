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

/** The part of the style that sets the colour of the brand. */
export function brandColors(hex: string): string {
  const light = readableOn(LIGHT_GROUND, rgbOf(hex), BLACK);
  const dark = readableOn(DARK_GROUND, rgbOf(hex), WHITE);
  return `:root { --brand: ${hexOf(light)}; --brand-ink: ${hexOf(inkOn(light))}; }
@media (prefers-color-scheme: dark) { :root { --brand: ${hexOf(dark)}; --brand-ink: ${hexOf(inkOn(dark))}; } }
`;
}
