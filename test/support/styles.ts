// How something looks in the browser.
import type { Locator } from 'playwright-core';

/** There are no types of the browser here. */
interface Browser {
  getComputedStyle(element: unknown): Readonly<Record<string, string>>;
}

/** The computed values of properties, such as `backgroundColor`, of the first that is found. */
export const computedStyle = (found: Locator, ...properties: readonly string[]): Promise<string[]> =>
  found.first().evaluate((element, names) => {
    const style = (globalThis as unknown as Browser).getComputedStyle(element);
    return names.map((name) => style[name] ?? '');
  }, properties);
