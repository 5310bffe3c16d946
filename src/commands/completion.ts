// Shell completion for `gatehouse`: scripts generated from the table of commands.
import type { Command, CommandOption } from './command.ts';
import { print } from './support.ts';

/** A sequence of words, the words that may follow it, and the command it names, if any. */
interface CompletionNode {
  readonly path: string;
  readonly next: Map<string, string>;
  command?: Command;
}

const HELP: readonly [string, CommandOption] = ['help', { about: 'print help' }];
const FILE = 'FILE';

function completionNodes(commands: readonly Command[]): CompletionNode[] {
  const nodes = new Map<string, CompletionNode>();
  const at = (path: string): CompletionNode => {
    const node = nodes.get(path) ?? { path, next: new Map() };
    nodes.set(path, node);
    return node;
  };
  for (const command of commands) {
    let path = '';
    for (const word of command.words.split(' ')) {
      const { next } = at(path);
      path += ` ${word}`;
      // Several commands begin with this word, so there is no description.
      next.set(word, path === ` ${command.words}` ? command.about : `${path.trim()} ...`);
    }
    at(path).command = command;
  }
  for (const [word, about] of [
    ['help', 'explain a command'],
    ['version', 'print the version'],
  ] as const)
    at('').next.set(word, about);
  return [...nodes.values()];
}

const optionsOf = ({ command }: CompletionNode): (readonly [string, CommandOption])[] => [
  ...Object.entries(command?.options ?? {}),
  HELP,
];

interface Suggestion {
  readonly path: string;
  /** How many arguments were already typed. */
  readonly args: number;
  /** Words with their descriptions, or file names. */
  readonly words: ReadonlyMap<string, string> | typeof FILE;
}

/** Everything that may be typed except options. */
function suggestionsOf(nodes: readonly CompletionNode[]): Suggestion[] {
  return nodes.flatMap(({ path, next, command }): Suggestion[] => {
    const words: Suggestion[] = next.size > 0 ? [{ path, args: 0, words: next }] : [];
    const args = (command?.args ?? []).flatMap(({ name, choices, about }, index): Suggestion[] => {
      if (choices) return [{ path, args: index, words: new Map(choices.map((choice) => [choice, about])) }];
      return name === FILE ? [{ path, args: index, words: FILE }] : [];
    });
    return [...words, ...args];
  });
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const alternatives = (words: readonly string[]): string => words.map(quoted).join(' | ');

/** The sequences of words, and the options that take a value. */
function pathsAndOptions(nodes: readonly CompletionNode[]) {
  const valued = nodes.flatMap((node) =>
    optionsOf(node).flatMap(([name, { value }]) => (value ? [{ word: `${node.path} --${name}`, isFile: value === FILE }] : [])),
  );
  return {
    paths: nodes.flatMap(({ path }) => (path ? [path] : [])),
    valued: valued.map(({ word }) => word),
    files: valued.flatMap(({ word, isFile }) => (isFile ? [word] : [])),
  };
}

/** Bash and zsh parse the words in the same way. An empty pattern would be a syntax error. */
function parsingCases(nodes: readonly CompletionNode[], onValued: string): string[] {
  const { paths, valued } = pathsAndOptions(nodes);
  return [
    `      ' help') ;;`,
    `      ${alternatives(paths)}) matched+=" $word" ;;`,
    ...(valued.length > 0 ? [`      ${alternatives(valued)}) ${onValued} ;;`] : []),
    `      *' -'*) ;;`,
    `      *) args+=1 ;;`,
  ];
}

function bash(nodes: readonly CompletionNode[]): string {
  const { files } = pathsAndOptions(nodes);
  return [
    '# What bash offers after gatehouse. Printed by: gatehouse completion bash',
    '_gatehouse() {',
    `  local current=\${COMP_WORDS[COMP_CWORD]} matched= word= valued= words= options= files=`,
    '  local -i at args=0',
    '  COMPREPLY=()',
    '  for ((at = 1; at < COMP_CWORD; at++)); do',
    `    word=\${COMP_WORDS[at]}`,
    '    case "$matched $word" in',
    // Bash splits --name=value at the sign.
    ...parsingCases(nodes, `valued="$matched $word"; [[ \${COMP_WORDS[at + 1]-} == = ]] && at+=1; at+=1`),
    '    esac',
    '  done',
    '  if ((at > COMP_CWORD)); then',
    `    current=\${current#=}`,
    ...(files.length > 0 ? [`    case "$valued" in ${alternatives(files)}) files=yes ;; esac`] : []),
    '  else',
    '    case "$matched" in',
    ...nodes.map((node) => {
      const names = [...optionsOf(node).map(([name]) => `--${name}`), ...(node.path ? [] : ['--version'])];
      return `      ${quoted(node.path)}) options=${quoted(names.join(' '))} ;;`;
    }),
    '    esac',
    '    case "$matched|$args" in',
    ...suggestionsOf(nodes).map(({ path, args, words }) => {
      const offer = words === FILE ? 'files=yes' : `words=${quoted([...words.keys()].join(' '))}`;
      return `      ${quoted(`${path}|${args}`)}) ${offer} ;;`;
    }),
    '    esac',
    '    if [[ $current == -* || -z $words$files ]]; then words+=" $options"; fi',
    '  fi',
    '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")',
    '  if [[ -n $files && $current != -* ]]; then',
    '    compopt -o filenames 2>/dev/null',
    '    mapfile -t COMPREPLY < <(compgen -f -- "$current")',
    '  fi',
    '}',
    'complete -F _gatehouse gatehouse',
  ].join('\n');
}

const documentation = (word: string, about: string): string => quoted(`${word.replaceAll(':', '\\:')}:${about}`);

function zsh(nodes: readonly CompletionNode[]): string {
  const { files } = pathsAndOptions(nodes);
  return [
    '#compdef gatehouse',
    '# What zsh offers after gatehouse. Printed by: gatehouse completion zsh',
    '_gatehouse() {',
    `  local matched= word= valued=`,
    '  local -i at args=0',
    '  local -a found options',
    '  for ((at = 2; at < CURRENT; at++)); do',
    '    word=$words[at]',
    '    case "$matched $word" in',
    ...parsingCases(nodes, 'valued="$matched $word"; at+=1'),
    '    esac',
    '  done',
    '  if ((at > CURRENT)); then',
    ...(files.length > 0 ? [`    case "$valued" in ${alternatives(files)}) _files ;; esac`] : []),
    '    return',
    '  fi',
    '  case "$matched" in',
    ...nodes.map((node) => {
      const all = optionsOf(node).map(([name, { about }]) => documentation(`--${name}`, about));
      return `    ${quoted(node.path)}) options=(${all.join(' ')}) ;;`;
    }),
    '  esac',
    '  case "$matched|$args" in',
    ...suggestionsOf(nodes).map(({ path, args, words }) => {
      const offer =
        words === FILE
          ? '[[ $words[CURRENT] == -* ]] || { _files; return; }'
          : `found=(${[...words].map(([word, about]) => documentation(word, about)).join(' ')})`;
      return `    ${quoted(`${path}|${args}`)}) ${offer} ;;`;
    }),
    '  esac',
    '  if [[ $words[CURRENT] == -* ]] || (($#found == 0)); then found+=($options); fi',
    '  _describe gatehouse found',
    '}',
    // Loaded from fpath, this file is the function itself. When sourced, it has to be registered.
    'if [[ $funcstack[1] == _gatehouse ]]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi',
  ].join('\n');
}

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(nodes: readonly CompletionNode[]): string {
  const { paths, valued } = pathsAndOptions(nodes);
  const line = (condition: string, rest: string): string =>
    `complete -c gatehouse -n ${fishQuoted(`string match -q -- "${condition}" (__gatehouse_position)`)} ${rest}`;
  return [
    '# What fish offers after gatehouse. Printed by: gatehouse completion fish',
    'function __gatehouse_position',
    "  set -l matched ''",
    '  set -l args 0',
    '  set -l skip no',
    '  for word in (commandline -opc)[2..]',
    '    if test $skip = yes',
    '      set skip no',
    '      continue',
    '    end',
    '    switch "$matched $word"',
    "      case ' help'",
    `      case ${paths.map(fishQuoted).join(' ')}`,
    '        set matched "$matched $word"',
    ...(valued.length > 0 ? [`      case ${valued.map(fishQuoted).join(' ')}`, '        set skip yes'] : []),
    "      case '* -*'",
    "      case '*'",
    '        set args (math $args + 1)',
    '    end',
    '  end',
    '  echo "$matched|$args"',
    'end',
    'complete -c gatehouse -e',
    'complete -c gatehouse -f',
    ...suggestionsOf(nodes).flatMap(({ path, args, words }) =>
      words === FILE
        ? [line(`${path}|${args}`, '-F')]
        : [...words].map(([word, about]) => line(`${path}|${args}`, `-a ${fishQuoted(word)} -d ${fishQuoted(about)}`)),
    ),
    ...nodes.flatMap((node) =>
      optionsOf(node).map(([name, { value, about }]) => {
        const takes = value === FILE ? ' -rF' : value ? ' -x' : '';
        return line(`${node.path}|*`, `-l ${name}${takes} -d ${fishQuoted(about)}`);
      }),
    ),
  ].join('\n');
}

const SHELLS = { bash, zsh, fish };
type Shell = keyof typeof SHELLS;

export const completionOf = (shell: Shell, commands: readonly Command[]): string =>
  `${SHELLS[shell](completionNodes(commands))}\n`;

/** A function, because the table contains this command itself. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  words: 'completion',
  about: 'print a completion script for a shell',
  more: 'For the current shell: source <(gatehouse completion bash). To install it for good, see docs/guide/operating.md.',
  args: [{ name: 'SHELL', about: 'the shell', choices: Object.keys(SHELLS) }],
  run({ args: [shell] }) {
    print(completionOf(shell as Shell, commands()));
  },
});
