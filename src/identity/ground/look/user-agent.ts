// The browser and the system that a User-Agent header names: enough for people to recognise their own.

type Rule = readonly [pattern: RegExp, name: string];

/** Most browsers also name those that they imitate, so the order matters. */
const BROWSERS: readonly Rule[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.* Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly Rule[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(?:Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (rules: readonly Rule[], header: string): string | undefined =>
  rules.find(([pattern]) => pattern.test(header))?.[1];

export interface UserAgent {
  readonly browser: string | undefined;
  readonly system: string | undefined;
}

export const userAgentOf = (header: string): UserAgent => ({
  browser: nameIn(BROWSERS, header),
  system: nameIn(SYSTEMS, header),
});

/** `Firefox on Windows`, by `words.browserOn`. */
export function browserName(
  words: { unknownBrowser: string; browserOn(one: string, other: string): string },
  header: string,
): string {
  const { browser, system } = userAgentOf(header);
  if (browser !== undefined && system !== undefined) return words.browserOn(browser, system);
  return browser ?? system ?? words.unknownBrowser;
}
