// What people are asked about themselves when they make an account, beside name and password. Only what they can change afterwards.
import type { DomainSettings } from '../../directory/domain-settings/index.ts';
import { isLanguage, isPersonName, type Profile } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';

/** By the names of the base API, which forms have as well. */
export const FIELDS = ['given_name', 'family_name', 'language'] as const;
export type FieldName = (typeof FIELDS)[number];
export type FieldUses = Readonly<Record<FieldName, 'off' | 'optional' | 'required'>>;
export type FieldValues = Readonly<Partial<Record<FieldName, string>>>;

const IS_GOOD: Readonly<Record<FieldName, (text: string) => boolean>> = {
  given_name: isPersonName,
  family_name: isPersonName,
  language: isLanguage,
};

export const fieldUsesOf = ({ registration }: Pick<DomainSettings, 'registration'>): FieldUses => ({
  given_name: registration.givenName,
  family_name: registration.familyName,
  language: registration.language,
});

/** Whoever says both parts of their name is not asked for the whole. */
export const asksWholeName = (uses: FieldUses): boolean => uses.given_name !== 'required' || uses.family_name !== 'required';

/** Fails with `user.field_missing`. */
export function checkRequired(uses: FieldUses, values: Readonly<Partial<Record<FieldName, unknown>>>): void {
  for (const field of FIELDS) {
    const value = values[field];
    if (uses[field] === 'required' && (typeof value !== 'string' || value.trim() === '')) fail('user.field_missing', { field });
  }
}

/** What is not asked for is left out. Fails for what is missing, or cannot be. */
export function checkedFields(uses: FieldUses, values: FieldValues): FieldValues {
  checkRequired(uses, values);
  const asked = FIELDS.flatMap((field) => {
    const value = values[field]?.trim() ?? '';
    if (uses[field] === 'off' || value === '') return [];
    if (!IS_GOOD[field](value)) fail('request.bad_value', { field, why: 'it is not acceptable' });
    return [[field, value] as const];
  });
  return Object.fromEntries(asked);
}

/** `name`: as the person is called; may be empty. */
export function profileOf({ given_name, family_name, language }: FieldValues, name: string): Profile {
  const parts = { ...(given_name ? { givenName: given_name } : {}), ...(family_name ? { familyName: family_name } : {}) };
  const whole = name || [given_name, family_name].filter(Boolean).join(' ');
  return {
    ...(whole === '' ? {} : { displayName: whole, name: { formatted: whole, ...parts } }),
    ...(language ? { preferredLanguage: language } : {}),
  };
}
