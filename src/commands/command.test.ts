// Parsing of command lines, and the help.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Command, helpOf, parseCommandLine } from './command.ts';
import { commands } from './index.ts';

const parse = (...words: string[]) => parseCommandLine(commands, words, '1.2.3');
const parsed = (...words: string[]) => {
  const result = parse(...words);
  assert.ok('command' in result, 'print' in result ? result.print : '');
  return { words: result.command.words, ...result.parameters };
};
const printed = (...words: string[]): string => {
  const result = parse(...words);
  assert.ok('print' in result);
  return result.print;
};

/** A right way to type each command, made from what it says of itself. */
const typed = ({ words, args = [], options = {} }: Command): string[] => [
  ...words.split(' '),
  ...args.map(({ choices }) => choices?.[0] ?? 'thing'),
  ...Object.entries(options).flatMap(([name, { value }]) => (value ? [`--${name}`, 'some'] : [`--${name}`])),
];

describe('A command', () => {
  it('is found by its words, with its arguments and options', () => {
    for (const command of commands) {
      const { words, args, options } = parsed(...typed(command));
      assert.equal(words, command.words);
      assert.deepEqual([args.length, Object.keys(options)], [command.args?.length ?? 0, Object.keys(command.options ?? {})]);
    }
    assert.deepEqual(parsed('scim', 'token', 'create', '--name=a b', '--domain', 'default').options, {
      name: 'a b',
      domain: 'default',
    });
  });

  it('with --help anywhere only prints its help', () => {
    for (const command of commands)
      for (const help of ['--help', '-h']) {
        const words = typed(command);
        for (let at = command.words.split(' ').length; at <= words.length; at++)
          assert.equal(printed(...words.toSpliced(at, 0, help)), helpOf(command), command.words);
        assert.equal(printed('help', ...command.words.split(' ')), helpOf(command));
      }
    assert.match(printed('backup', '--help'), /gatehouse backup FILE\n\nWrite the data folder[\s\S]*FILE +the file to write/);
  });

  it('is listed with all others, and with those that begin with the same words', () => {
    for (const list of [printed(), printed('--help'), printed('-h'), printed('help')])
      for (const { words, about } of commands) assert.ok(list.includes(`gatehouse ${words}`) && list.includes(about), words);
    const family = printed('scim', '--help');
    assert.ok(family.includes('scim token revoke') && !family.includes('gatehouse backup'));
    assert.equal(printed('--version'), '1.2.3');
  });

  it('takes no argument that begins with a dash, unless it comes after --', () => {
    for (const word of ['--frob', '-x', '-', '--file=a.tar'])
      assert.throws(() => parse('backup', word), /gatehouse backup: "?-.* is not an option of this command/, word);
    assert.deepEqual(parsed('backup', '--', '--help').args, ['--help']);
    assert.deepEqual(parsed('backup', '--', '-').args, ['-']);
  });

  it('that is not known is told by the nearest one', () => {
    for (const [words, near] of [
      [['halp'], 'help'],
      [['bakcup', 'x.tar'], 'backup'],
      [['scim', 'tokens', 'list'], 'scim token list'],
      [['master-key', 'rotat'], 'master-key rotate'],
      [['Start'], 'start'],
    ] as const)
      assert.throws(() => parse(...words), new RegExp(`there is no command "${words.join(' ')}"; did you mean "${near}"\\?`));
    for (const [words, near] of [
      [['scim', 'token', 'create', '--domian', 'x'], 'domain'],
      [['scim', 'token', 'create', '--nam=x'], 'name'],
      [['two-factor', 'qr', '--SVG'], 'svg'],
      [['backup', '--hlep'], 'help'],
    ] as const)
      assert.throws(() => parse(...words), new RegExp(`is not an option of this command \\(did you mean --${near}\\?\\); see: `));
    assert.throws(
      () => parse('backup', '--frob'),
      /--frob is not an option of this command; put an argument that begins with - after --; see/,
    );
    assert.throws(() => parse('--frob'), /there is no option --frob/);
    assert.throws(() => parse(''), /there is no command ""/);
  });

  it('that is not whole says what is missing, and one that has more says what is too much', () => {
    for (const [words, why] of [
      [['backup'], /gatehouse backup: FILE is missing: the file to write/],
      [['backup', ''], /FILE is missing/],
      [['backup', 'a', 'b'], /"b" is one argument too many: the command takes FILE/],
      [['migrate', 'now'], /"now" is one argument too many: the command takes no argument/],
      [['openapi'], /identity\|wallet is missing/],
      [['openapi', 'both'], /"both" is neither of identity, wallet/],
      [['consumer', 'rotate-secret'], /ID is missing/],
      [['scim'], /a word is missing: scim token create, scim token list, scim token revoke/],
      [['master-key'], /a word is missing: master-key new, master-key rotate/],
      [['scim', 'token', 'create'], /--domain is missing/],
      [['scim', 'token', 'create', '--domain'], /--domain needs a value/],
      [['scim', 'token', 'create', '--domain='], /--domain needs a value/],
      [['scim', 'token', 'create', '--domain', '--name', 'x'], /--domain needs a value/],
      [['scim', 'token', 'create', '--domain', 'a', '--domain', 'b'], /--domain is given twice/],
      [['scim', 'token', 'create', '--domain', 'a', '--toString'], /--toString is not an option/],
      [['two-factor', 'qr', '--svg=yes'], /--svg takes no value/],
    ] as const)
      assert.throws(() => parse(...words), why, words.join(' '));
  });
});
