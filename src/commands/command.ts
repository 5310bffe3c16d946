// A command: its words, arguments, options and help. Parsing and help texts are derived from one table of commands.
import { parseArgs } from 'node:util';
import { nearestMatch, nearMatch } from '../platform/config/index.ts';

export interface CommandArgument {
  /** In capitals, as the help shows it. */
  readonly name: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** `-` means standard output. */
  readonly takesDash?: boolean;
}

export interface CommandOption {
  /** The name of its value, in capitals. An option without a value is a flag. */
  readonly value?: string;
  readonly about: string;
  readonly required?: boolean;
}

export interface ParsedArguments {
  readonly args: readonly string[];
  /** Values of options; '' for flags that are set. */
  readonly options: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  /** For example `scim token create`. */
  readonly words: string;
  /** One line for the list of commands. */
  readonly about: string;
  /** More about it, for its own help. */
  readonly more?: string;
  readonly args?: readonly CommandArgument[];
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** What to do instead while a service on SQLite is running. Otherwise the service has to be stopped first. */
  readonly whileRunning?: string;
  /** It runs until it is stopped: a failure before that is one of the start. */
  readonly isService?: boolean;
  /** Exit status for a wrong command line: 2, unless the command gives 2 another meaning. */
  readonly usageStatus?: number;
  run(parameters: ParsedArguments): void | Promise<void>;
}

/** The command line is wrong. The message says why and names the help to read. */
export class UsageError extends Error {
  readonly status: number;

  constructor(message: string, status = 2) {
    super(message);
    this.status = status;
  }
}

const HELP = new Set(['--help', '-h']);
const PROGRAM = 'gatehouse';

function usageOf({ words, args = [], options = {} }: Command): string {
  const parts = [
    PROGRAM,
    words,
    ...args.map(({ name, choices }) => choices?.join('|') ?? name),
    ...Object.entries(options).map(([name, { value, required }]) => {
      const text = value ? `--${name} ${value}` : `--${name}`;
      return required ? text : `[${text}]`;
    }),
  ];
  return parts.join(' ');
}

const COLUMN = 32;
const line = (left: string, right: string): string =>
  left.length < COLUMN - 1 ? `${left.padEnd(COLUMN)}${right}` : `${left}\n${' '.repeat(COLUMN)}${right}`;

/** A list of commands: all of them, or those that begin with the same words. */
export function listOf(commands: readonly Command[], version: string): string {
  return [
    `${PROGRAM} ${version}`,
    '',
    ...commands.map((command) => line(`  ${usageOf(command)}`, command.about)),
    '',
    `Help on one command: ${PROGRAM} ${commands[0]!.words} --help`,
    'Settings: docs/config.md',
  ].join('\n');
}

export function helpOf(command: Command): string {
  const { about, more, args = [], options = {} } = command;
  const details = [
    ...args.map((one) => line(`  ${one.choices?.join('|') ?? one.name}`, one.about)),
    ...Object.entries(options).map(([name, one]) => line(`  --${name}${one.value ? ` ${one.value}` : ''}`, one.about)),
    line('  --help', 'print this help'),
  ];
  const sentence = `${about[0]!.toUpperCase()}${about.slice(1)}.`;
  return [usageOf(command), '', sentence, ...(more ? [more] : []), '', ...details, '', 'Settings: docs/config.md'].join('\n');
}

function failUsage(command: Command, why: string): never {
  throw new UsageError(`${PROGRAM} ${command.words}: ${why}; see: ${PROGRAM} ${command.words} --help`, command.usageStatus);
}

/** A command with its parameters, or a text to print. */
export type ParsedCommand = { readonly command: Command; readonly parameters: ParsedArguments } | { readonly print: string };

export function parseCommandLine(commands: readonly Command[], words: readonly string[], version: string): ParsedCommand {
  const [first, ...others] = words;
  if (first === undefined || HELP.has(first)) return { print: listOf(commands, version) };
  if (first === 'help') return parseCommandLine(commands, [...others, '--help'], version);
  if (first === '--version' || first === 'version') return { print: version };
  const command = find(commands, words);
  if (command === undefined) return { print: listOf(commandsUnder(commands, words), version) };
  const rest = words.slice(command.words.split(' ').length);
  return asksForHelp(rest) ? { print: helpOf(command) } : { command, parameters: parseArguments(command, rest) };
}

const asksForHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).some((word) => HELP.has(word));
};

/** The words before the first option, which may name a command. */
function leading(words: readonly string[]): string[] {
  const end = words.findIndex((word) => word.startsWith('-'));
  return words.slice(0, end < 0 ? undefined : end);
}

/** The longest command these words begin with. Undefined if the words begin several commands and ask for help. */
function find(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const typed = leading(words).join(' ');
  const found = commands
    .filter((one) => `${typed} `.startsWith(`${one.words} `))
    .sort((a, b) => b.words.length - a.words.length)[0];
  if (found) return found;
  const matching = commandsUnder(commands, words);
  if (matching.length > 0 && asksForHelp(words)) return undefined;
  if (matching.length > 0 && commands.some((one) => one.words.startsWith(`${typed} `)))
    throw new UsageError(
      `${PROGRAM} ${typed}: a word is missing: ${matching.map((one) => one.words).join(', ')}; see: ${PROGRAM} --help`,
    );
  if (words[0]!.startsWith('-')) throw new UsageError(`${PROGRAM}: there is no option ${words[0]}; see: ${PROGRAM} --help`);
  const close = nearestMatch(typed, [...commands.map((one) => one.words), 'help', 'version']);
  throw new UsageError(`${PROGRAM}: there is no command "${typed}"; did you mean "${close}"? See: ${PROGRAM} --help`);
}

/** The commands that begin with these words. */
function commandsUnder(commands: readonly Command[], words: readonly string[]): Command[] {
  const typed = leading(words).join(' ');
  return commands.filter((one) => one.words.startsWith(`${typed} `));
}

function parseArguments(command: Command, words: readonly string[]): ParsedArguments {
  const { options = {} } = command;
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const positional: string[] = [];
  const values: Record<string, string> = {};
  let ended = false;
  const takesDash = command.args?.some((one) => one.takesDash) === true;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') ended = true;
    else if (token.kind === 'positional') {
      // A file whose name begins with a dash must come after --; usually this is a mistyped option.
      if (!ended && token.value.startsWith('-') && !(token.value === '-' && takesDash))
        failUsage(command, `"${token.value}" is not an option of this command`);
      positional.push(token.value);
    } else {
      const option = Object.hasOwn(options, token.name) ? options[token.name]! : undefined;
      if (!option) failUsage(command, `${token.rawName} is not an option of this command${hint(command, token.name)}`);
      if (option.value && (!token.value || (!token.inlineValue && token.value.startsWith('-'))))
        failUsage(command, `${token.rawName} needs a value: ${option.about}`);
      if (!option.value && token.value !== undefined) failUsage(command, `${token.rawName} takes no value`);
      if (values[token.name] !== undefined) failUsage(command, `${token.rawName} is given twice`);
      values[token.name] = token.value ?? '';
    }
  }
  checkArguments(command, positional);
  for (const [name, { required, about }] of Object.entries(options))
    if (required && values[name] === undefined) failUsage(command, `--${name} is missing: ${about}`);
  return { args: positional, options: values };
}

/** A suggestion for a mistyped option. */
function hint({ args = [], options = {} }: Command, name: string): string {
  const close = nearMatch(name.toLowerCase(), [...Object.keys(options), 'help']);
  if (close) return ` (did you mean --${close}?)`;
  return args.length > 0 ? '; put an argument that begins with - after --' : '';
}

function checkArguments(command: Command, values: readonly string[]): void {
  const { args = [] } = command;
  args.forEach(({ name, about, choices }, index) => {
    const value = values[index];
    if (!value) failUsage(command, `${choices?.join('|') ?? name} is missing: ${about}`);
    if (choices && !choices.includes(value)) failUsage(command, `"${value}" is neither of ${choices.join(', ')}`);
  });
  if (values.length > args.length)
    failUsage(
      command,
      `"${values[args.length]}" is one argument too many: the command takes ${args.length === 0 ? 'no argument' : args.map(({ name }) => name).join(' ')}`,
    );
}
