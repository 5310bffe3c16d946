// Times in the reader's language and zone.
import { html, type TemplateResult } from 'lit';
import { localeOf } from './languages.ts';
import { shared } from './words/index.ts';

const locale = (): string => localeOf(shared.language);

/** An ISO time, or seconds since 1970. */
export type TimeValue = string | number;
const dateOf = (value: TimeValue): Date => new Date(typeof value === 'number' ? value * 1000 : value);

export const timeText = (value: TimeValue): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(dateOf(value));

export const dateText = (value: TimeValue): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(dateOf(value));

export function time(value: TimeValue | null | undefined, none = '–'): TemplateResult {
  if (value === null || value === undefined || value === '') return html`${none}`;
  return html`<time datetime=${dateOf(value).toISOString()}>${timeText(value)}</time>`;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Such as "3 days ago" or "in 2 hours", with the exact time as its title. */
export function relativeTime(value: TimeValue | null | undefined, none = '–'): TemplateResult {
  if (value === null || value === undefined || value === '') return html`${none}`;
  const date = dateOf(value);
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? (['second', 1] as const);
  const text = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.round(seconds / size), unit);
  return html`<time datetime=${date.toISOString()} title=${timeText(value)}>${text}</time>`;
}

export const numberText = (value: number): string => new Intl.NumberFormat(locale()).format(value);

/** A length of time in the largest unit in which it is whole: `8 hours`, `90 seconds`. */
export function durationText(seconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => seconds > 0 && seconds % one === 0) ?? ['second', 1];
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
}
