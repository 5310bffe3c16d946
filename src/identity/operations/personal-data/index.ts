// Everything that is stored about a person, for the person.
export { createPersonalData, type PersonalData } from './personal-data.ts';
export { TABLE_COVERAGE } from './tables.ts';
