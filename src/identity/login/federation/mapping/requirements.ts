// Checks whether a rule applies to an assertion, and takes values from it.
import { type Assertion, RefusalError } from './identity.ts';
import { MAX_ASSERTION_LENGTH, STEPS_PER_VALUE } from './limits.ts';
import type { Condition, Mapping, Requirement } from './mapping.ts';
import { isStorable } from './reader.ts';
import type { Steps } from './regex/index.ts';
import type { DirectMaps } from './template.ts';

/** The values of the attributes that a mapping reads. An empty string counts as a value. */
export type AttributeValues = ReadonlyMap<string, readonly string[]>;

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];
const isText = (value: unknown): value is string => typeof value === 'string';

export function attributeValues(mapping: Mapping, assertion: Assertion): AttributeValues {
  const values = new Map<string, readonly string[]>();
  let length = 0;
  for (const { requirements } of mapping.rules) {
    for (const { attribute } of requirements) {
      if (values.has(attribute) || !Object.hasOwn(assertion, attribute)) continue;
      const asserted = assertion[attribute];
      const texts = isText(asserted) ? [asserted] : Array.isArray(asserted) ? asserted.filter(isText) : [];
      // 1 more for each, because empty strings also need memory.
      length += texts.reduce((sum, text) => sum + text.length + 1, 0);
      if (length > MAX_ASSERTION_LENGTH)
        throw new RefusalError('too_large', 'the attributes that the mapping reads are too long');
      if (!texts.every(isStorable))
        throw new RefusalError('invalid_value', 'an attribute contains a NUL character or a lone surrogate');
      values.set(attribute, isText(asserted) ? asserted.split(';') : texts);
    }
  }
  return values;
}

/** The direct maps, or undefined if the rule does not apply. */
export function directMaps(requirements: readonly Requirement[], values: AttributeValues, steps: Steps): DirectMaps | undefined {
  const maps: (readonly string[])[] = [];
  for (const { attribute, condition } of requirements) {
    const asserted = values.get(attribute);
    if (!asserted || asserted.length === 0) return undefined;
    const matches = condition ? matcher(condition, steps) : undefined;
    steps.spend(asserted.length * STEPS_PER_VALUE);
    switch (condition?.kind) {
      case 'any_one_of':
        if (!asserted.some(matches!)) return undefined;
        break;
      case 'not_any_of':
        if (asserted.some(matches!)) return undefined;
        break;
      case 'whitelist':
        maps.push(unique(asserted.filter(matches!)));
        break;
      case 'blacklist':
        maps.push(unique(asserted.filter((value) => !matches!(value))));
        break;
      default:
        maps.push(asserted);
    }
  }
  return maps;
}

function matcher({ values }: Condition, steps: Steps): (value: string) => boolean {
  if (!Array.isArray(values)) return (value) => (values as ReadonlySet<string>).has(value);
  return (value) => {
    steps.spend(value.length);
    const text = Array.from(value, (character) => character.codePointAt(0)!);
    return values.some((pattern) => pattern.search(text, steps));
  };
}
