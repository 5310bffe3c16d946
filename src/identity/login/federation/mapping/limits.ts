// Limits for mappings and assertions. Administrators write the mappings, but strangers can influence the assertions.

/** Problems that one validation reports. */
export const MAX_PROBLEMS = 20;
/** Length of one text in a mapping. */
export const MAX_TEXT_LENGTH = 4096;
/** States of all regular expressions of a mapping: limits its memory. */
export const MAX_STATES = 100_000;

/** Characters in all attributes that a mapping reads. Enough for some thousand groups with long names. */
export const MAX_ASSERTION_LENGTH = 262_144;
/** Length of one name, id or other text in the result. */
export const MAX_FILLED_LENGTH = 4096;
/** Groups in one result. */
export const MAX_GROUPS = 10_000;
/** Projects and roles in them in one result. Each is looked up. */
export const MAX_PROJECT_ROLES = 1000;
/**
 * Steps of one evaluation. A step takes about ten nanoseconds, so the maximum is a few tenths of a second. A person in 5,000 groups with long
 * names, and a mapping with five regular expressions for them, need about half of it.
 */
export const MAX_STEPS = 20_000_000;
/** The cost of comparing a value or adding a group, in steps. */
export const STEPS_PER_VALUE = 20;
/** The cost of parsing JSON in an assertion, in steps. A mapping can parse the same value many times. */
export const STEPS_PER_JSON_CHARACTER = 10;
