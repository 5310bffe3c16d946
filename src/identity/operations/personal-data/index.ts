// Everything that is stored about a person, for the person.
// tables.ts has an entry for each table of the database.
export { createPersonalData, type PersonalData } from './personal-data.ts';
export { TABLE_COVERAGE } from './tables.ts';
