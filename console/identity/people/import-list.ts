// Reads a list of people: CSV with a line of column names, separated by commas, semicolons or tabs, as spreadsheets write it.

export const MOST_LINES = 500;
export const MOST_CHARACTERS = 200_000;
const MOST_GROUPS = 20;

export type LineProblem = 'noEmail' | 'badEmail' | 'noName' | 'tooLong' | 'badCharacters' | 'twice' | 'cells' | 'groups';
export type ListProblem = 'empty' | 'tooLarge' | 'tooMany' | 'columns';

export interface Line {
  /** As in the file, from 1. */
  readonly number: number;
  readonly name: string;
  readonly email: string;
  readonly given: string;
  readonly family: string;
  readonly groups: readonly string[];
  readonly problems: readonly LineProblem[];
}

type Column = 'name' | 'email' | 'given' | 'family' | 'groups';
const COLUMNS: Readonly<Record<Column, readonly string[]>> = {
  name: ['name', 'username', 'user', 'nombre de usuario', 'usuario', 'benutzername', 'anmeldename'],
  email: ['email', 'e-mail', 'mail', 'correo', 'correo electrónico', 'e-mail-adresse', 'mailadresse'],
  given: ['given', 'given name', 'first name', 'nombre', 'nombre de pila', 'vorname'],
  family: ['family', 'family name', 'last name', 'surname', 'apellido', 'apellidos', 'nachname', 'familienname'],
  groups: ['groups', 'group', 'grupos', 'grupo', 'gruppen', 'gruppe'],
};

/** The cells of each record, with the line at which it begins. Texts in quotes may have separators and lines of their own. */
function recordsOf(text: string, separator: string): { readonly number: number; readonly cells: string[] }[] {
  const records: { number: number; cells: string[] }[] = [];
  let [cells, cell, isQuoted, line, start]: [string[], string, boolean, number, number] = [[], '', false, 1, 1];
  const endRecord = (): void => {
    if (cells.length > 0 || cell.trim() !== '') records.push({ number: start, cells: [...cells, cell.trim()] });
    [cells, cell, start] = [[], '', line];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (letter === '\n') line++;
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (letter === '"' && cell.trim() === '') [isQuoted, cell] = [true, ''];
    else if (letter === separator) [cells, cell] = [[...cells, cell.trim()], ''];
    else if (letter === '\n') endRecord();
    else if (letter !== '\r') cell += letter;
  }
  endRecord();
  return records;
}

function separatorOf(head: string): string {
  const count = (one: string): number => head.split(one).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

const columnOf = (title: string): Column | undefined =>
  (Object.keys(COLUMNS) as Column[]).find((column) => COLUMNS[column].includes(title.toLowerCase().replaceAll('_', ' ').trim()));

/** Marks that turn the direction of writing would change the text around a name. */
const STRANGE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const EMAIL = /^[^\s@<>",;]+@[^\s@<>",;]+$/;

function problemsOf({ name, email, given, family, groups }: Omit<Line, 'number' | 'problems'>): LineProblem[] {
  const all = [name, email, given, family, ...groups];
  return [
    ...(name === '' ? (['noName'] as const) : []),
    ...(email === '' ? (['noEmail'] as const) : EMAIL.test(email) ? [] : (['badEmail'] as const)),
    ...(name.length > 255 || email.length > 320 || given.length > 100 || family.length > 100 ? (['tooLong'] as const) : []),
    ...(all.some((one) => STRANGE.test(one)) ? (['badCharacters'] as const) : []),
    ...(groups.length > MOST_GROUPS ? (['groups'] as const) : []),
  ];
}

export function readList(text: string): { readonly lines: readonly Line[]; readonly problem?: ListProblem } {
  if (text.length > MOST_CHARACTERS) return { lines: [], problem: 'tooLarge' };
  const plain = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  const separator = separatorOf(plain.slice(0, plain.indexOf('\n') + 1 || plain.length));
  const [head, ...records] = recordsOf(plain, separator);
  if (!head || records.length === 0) return { lines: [], problem: 'empty' };
  if (records.length > MOST_LINES) return { lines: [], problem: 'tooMany' };
  const columns = head.cells.map(columnOf);
  const isTold = (column: Column): boolean => columns.filter((one) => one === column).length === 1;
  // A column that is not known would be left out without a word.
  if (columns.includes(undefined) || new Set(columns).size !== columns.length || !(isTold('email') || isTold('name')))
    return { lines: [], problem: 'columns' };
  const seen = new Set<string>();
  const lines = records.map(({ number, cells }): Line => {
    const cellOf = (column: Column): string => cells[columns.indexOf(column)] ?? '';
    const email = isTold('email') ? cellOf('email') : '';
    const person = {
      name: (isTold('name') ? cellOf('name') : '') || email,
      email,
      given: isTold('given') ? cellOf('given') : '',
      family: isTold('family') ? cellOf('family') : '',
      groups: isTold('groups')
        ? [
            ...new Set(
              cellOf('groups')
                .split('|')
                .flatMap((one) => one.trim() || []),
            ),
          ]
        : [],
    };
    const keys = [`name ${person.name.toLowerCase()}`, ...(email === '' ? [] : [`email ${email.toLowerCase()}`])];
    const isTwice = person.name !== '' && keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    const cellProblem = cells.length > columns.length ? (['cells'] as const) : [];
    return { number, ...person, problems: [...problemsOf(person), ...(isTwice ? (['twice'] as const) : []), ...cellProblem] };
  });
  return { lines };
}

/** Spreadsheets run a cell that begins so as a formula. An apostrophe makes it text. */
const csvCell = (text: string): string => `"${(/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
