// How the console reads a list of people.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvOf, type Line, MOST_LINES, readList } from '../console/identity/people/import-list.ts';

const problemsOf = (text: string): readonly (readonly string[])[] => readList(text).lines.map(({ problems }) => problems);

describe('A list of people', () => {
  it('is read as spreadsheets write it', () => {
    const ada = { name: 'ada', email: 'ada@x.example', given: 'Ada, "A"', family: 'Lovelace', groups: ['Pilots', 'Crew'] };
    const bob = { name: 'bob@x.example', email: 'bob@x.example', given: '', family: '', groups: [] };
    const expected = [
      { number: 2, ...ada, problems: [] },
      { number: 3, ...bob, problems: [] },
    ] satisfies Line[];
    for (const separator of [',', ';', '\t']) {
      const rows = [
        ['Name', 'E-Mail', 'First Name', 'surname', 'groups'],
        ['ada', ' ada@x.example ', '"Ada, ""A"""', 'Lovelace', 'Pilots|Crew|Pilots|'],
        ['', 'bob@x.example'],
      ];
      const text = `\ufeff${rows.map((row) => row.join(separator)).join('\r\n')}\r\n\r\n`;
      assert.deepEqual(readList(text), { lines: expected }, separator);
    }
  });

  it('has titles in each language', () => {
    const values = 'ada,ada@x.example,Ada,Lovelace,Pilots';
    for (const titles of [
      'Username,Mail,Given name,Family name,Group',
      'Usuario,Correo electrónico,Nombre,Apellidos,Grupos',
      'Benutzername,E-Mail-Adresse,Vorname,Nachname,Gruppen',
    ]) {
      const [{ name, email, given, family, groups } = assert.fail(titles)] = readList(`${titles}\n${values}`).lines;
      assert.deepEqual([name, email, given, family, groups], ['ada', 'ada@x.example', 'Ada', 'Lovelace', ['Pilots']]);
    }
  });

  it('says what is wrong with each line', () => {
    const head = 'name,email,groups\n';
    assert.deepEqual(problemsOf(`${head}a,a@x.example\nb,A@X.EXAMPLE`), [[], ['twice']]);
    assert.deepEqual(problemsOf(`${head}a,a\na,b@x.example`), [['badEmail'], ['twice']]);
    assert.deepEqual(problemsOf(`${head}a,"a@x.example,b@x.example"`), [['badEmail']]);
    assert.deepEqual(problemsOf(`${head}a\u202eb,a@x.example`), [['badCharacters']]);
    assert.deepEqual(problemsOf(`${head}${'a'.repeat(256)},a@x.example`), [['tooLong']]);
    assert.deepEqual(problemsOf(`${head}a,a@x.example,g,more`), [['cells']]);
    assert.deepEqual(problemsOf(`${head},,g`), [['noName', 'noEmail']]);
    assert.deepEqual(problemsOf(`${head}a,a@x.example,${Array.from({ length: 21 }, (_, at) => at).join('|')}`), [['groups']]);
  });

  it('is refused as a whole if it is no list, or too large', () => {
    for (const [text, problem] of [
      ['', 'empty'],
      ['name,email\n', 'empty'],
      ['name,colour\na,b', 'columns'],
      ['given,family\na,b', 'columns'],
      ['name,name\na,b', 'columns'],
      ['__proto__,email\na,b', 'columns'],
      [`name\n${'a\n'.repeat(MOST_LINES + 1)}`, 'tooMany'],
      ['a'.repeat(200_001), 'tooLarge'],
    ] as const)
      assert.deepEqual(readList(text), { lines: [], problem }, text.slice(0, 30));
  });

  it('is written without formulas', () => {
    assert.equal(
      csvOf([
        ['=1+1', 'a"b'],
        ['@x', '-1'],
      ]),
      '"\'=1+1","a""b"\r\n"\'@x","\'-1"\r\n',
    );
  });
});
