// The words by which people are found.

import { nameKey } from './name-key.ts';
import { isPlain } from './names.ts';
import type { Profile } from './profile.ts';

/** Texts come from clients. So much of them is stored. */
const MAX_WORDS = 20;
const MAX_LENGTH = 64;
/** Each word is one more condition of the search. */
const MAX_SEARCHED = 5;

/** Without case and accents, so that `garcia` finds García. What no database can hold is left out. */
const keyOf = (text: string): string =>
  isPlain(text)
    ? nameKey(text)
    : nameKey(text)
        .normalize('NFD')
        .replace(/[\p{M}\p{Cs}\0]+/gu, '');

const split = (text: string): string[] =>
  keyOf(text)
    .split(/\s+/u)
    .filter(Boolean)
    .map((word) => (word.length <= MAX_LENGTH ? word : [...word].slice(0, MAX_LENGTH).join('')));

const textsIn = (value: unknown, names: readonly string[]): string[] => {
  const attributes = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  return names.map((name) => attributes[name]).filter((text) => typeof text === 'string');
};

/** Sorted. A word that another one begins with is left out: whoever looks for its beginning finds the other. */
export function wordsOf(name: string, profile: Profile): string[] {
  const emails = Array.isArray(profile.emails) ? profile.emails.flatMap((email) => textsIn(email, ['value'])) : [];
  const names = [
    ...textsIn(profile.name, ['givenName', 'familyName', 'formatted']),
    ...textsIn(profile, ['displayName', 'nickName']),
  ];
  // Bounded before they are compared with each other.
  const words = new Set([name, ...emails, ...names].flatMap(split).slice(0, 4 * MAX_WORDS));
  const longest = [...words].filter((word) => ![...words].some((other) => other !== word && other.startsWith(word)));
  return longest.slice(0, MAX_WORDS).sort();
}

/** The words of a search, the longest first: it finds the fewest. */
export const searchedWords = (text: string): string[] =>
  [...new Set(split(text))].sort((one, other) => other.length - one.length || (one < other ? -1 : 1)).slice(0, MAX_SEARCHED);
