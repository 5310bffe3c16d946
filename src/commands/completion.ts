// What a shell offers when the tab key is pressed after `gatehouse`: scripts, printed from the table of commands.
import type { Command, CommandOption } from './command.ts';
import { print } from './support.ts';

/** After these words: those that may follow, and the command they are, if they are one. */
interface CompletionNode {
  readonly path: string;
  readonly next: Map<string, string>;
  command?: Command;
}

const HELP: readonly [string, CommandOption] = ['help', { about: 'explain it, and do nothing else' }];
const FILE = 'FILE';

function completionNodes(commands: readonly Command[]): CompletionNode[] {
  const places = new Map<string, CompletionNode>();
  const at = (path: string): CompletionNode => {
    const place = places.get(path) ?? { path, next: new Map() };
    places.set(path, place);
    return place;
  };
  for (const command of commands) {
    let path = '';
    for (const word of command.words.split(' ')) {
      const { next } = at(path);
      path += ` ${word}`;
      // Of a family there is no one line.
      next.set(word, path === ` ${command.words}` ? command.about : `${path.trim()} ...`);
    }
    at(path).command = command;
  }
  for (const [word, about] of [
    ['help', 'explain a command'],
    ['version', 'print the version'],
  ] as const)
    at('').next.set(word, about);
  return [...places.values()];
}

const optionsOf = ({ command }: CompletionNode): (readonly [string, CommandOption])[] => [
  ...Object.entries(command?.options ?? {}),
  HELP,
];

interface Suggestion {
  readonly path: string;
  /** How many arguments are there already. */
  readonly args: number;
  /** With a line on each; or the files there are. */
  readonly words: ReadonlyMap<string, string> | typeof FILE;
}

/** What may stand at a place that is no option. */
function suggestionsOf(places: readonly CompletionNode[]): Suggestion[] {
  return places.flatMap(({ path, next, command }): Suggestion[] => {
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

/** Which words lead on, and which options have a value that is the next word. */
function pathsAndOptions(places: readonly CompletionNode[]) {
  const valued = places.flatMap((place) =>
    optionsOf(place).flatMap(([name, { value }]) => (value ? [{ word: `${place.path} --${name}`, isFile: value === FILE }] : [])),
  );
  return {
    paths: places.flatMap(({ path }) => (path ? [path] : [])),
    valued: valued.map(({ word }) => word),
    files: valued.flatMap(({ word, isFile }) => (isFile ? [word] : [])),
  };
}

/** Bash and zsh read the words in the same way. A case without patterns is no case. */
function readingCases(places: readonly CompletionNode[], onValued: string): string[] {
  const { paths, valued } = pathsAndOptions(places);
  return [
    `      ' help') ;;`,
    `      ${alternatives(paths)}) said+=" $word" ;;`,
    ...(valued.length > 0 ? [`      ${alternatives(valued)}) ${onValued} ;;`] : []),
    `      *' -'*) ;;`,
    `      *) args+=1 ;;`,
  ];
}

function bash(places: readonly CompletionNode[]): string {
  const { files } = pathsAndOptions(places);
  return [
    '# What bash offers after gatehouse. Printed by: gatehouse completion bash',
    '_gatehouse() {',
    `  local current=\${COMP_WORDS[COMP_CWORD]} said= word= valued= words= options= files=`,
    '  local -i at args=0',
    '  COMPREPLY=()',
    '  for ((at = 1; at < COMP_CWORD; at++)); do',
    `    word=\${COMP_WORDS[at]}`,
    '    case "$said $word" in',
    // Bash makes a word of the sign in --name=value.
    ...readingCases(places, `valued="$said $word"; [[ \${COMP_WORDS[at + 1]-} == = ]] && at+=1; at+=1`),
    '    esac',
    '  done',
    '  if ((at > COMP_CWORD)); then',
    `    current=\${current#=}`,
    ...(files.length > 0 ? [`    case "$valued" in ${alternatives(files)}) files=yes ;; esac`] : []),
    '  else',
    '    case "$said" in',
    ...places.map((place) => {
      const names = [...optionsOf(place).map(([name]) => `--${name}`), ...(place.path ? [] : ['--version'])];
      return `      ${quoted(place.path)}) options=${quoted(names.join(' '))} ;;`;
    }),
    '    esac',
    '    case "$said|$args" in',
    ...suggestionsOf(places).map(({ path, args, words }) => {
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

function zsh(places: readonly CompletionNode[]): string {
  const { files } = pathsAndOptions(places);
  return [
    '#compdef gatehouse',
    '# What zsh offers after gatehouse. Printed by: gatehouse completion zsh',
    '_gatehouse() {',
    `  local said= word= valued=`,
    '  local -i at args=0',
    '  local -a found options',
    '  for ((at = 2; at < CURRENT; at++)); do',
    '    word=$words[at]',
    '    case "$said $word" in',
    ...readingCases(places, 'valued="$said $word"; at+=1'),
    '    esac',
    '  done',
    '  if ((at > CURRENT)); then',
    ...(files.length > 0 ? [`    case "$valued" in ${alternatives(files)}) _files ;; esac`] : []),
    '    return',
    '  fi',
    '  case "$said" in',
    ...places.map((place) => {
      const all = optionsOf(place).map(([name, { about }]) => documentation(`--${name}`, about));
      return `    ${quoted(place.path)}) options=(${all.join(' ')}) ;;`;
    }),
    '  esac',
    '  case "$said|$args" in',
    ...suggestionsOf(places).map(({ path, args, words }) => {
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
    // As a file of fpath it is the function itself; sourced, it has to be announced.
    'if [[ $funcstack[1] == _gatehouse ]]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi',
  ].join('\n');
}

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(places: readonly CompletionNode[]): string {
  const { paths, valued } = pathsAndOptions(places);
  const line = (condition: string, rest: string): string =>
    `complete -c gatehouse -n ${fishQuoted(`string match -q -- "${condition}" (__gatehouse_place)`)} ${rest}`;
  return [
    '# What fish offers after gatehouse. Printed by: gatehouse completion fish',
    'function __gatehouse_place',
    "  set -l said ''",
    '  set -l args 0',
    '  set -l skip no',
    '  for word in (commandline -opc)[2..]',
    '    if test $skip = yes',
    '      set skip no',
    '      continue',
    '    end',
    '    switch "$said $word"',
    "      case ' help'",
    `      case ${paths.map(fishQuoted).join(' ')}`,
    '        set said "$said $word"',
    ...(valued.length > 0 ? [`      case ${valued.map(fishQuoted).join(' ')}`, '        set skip yes'] : []),
    "      case '* -*'",
    "      case '*'",
    '        set args (math $args + 1)',
    '    end',
    '  end',
    '  echo "$said|$args"',
    'end',
    'complete -c gatehouse -e',
    'complete -c gatehouse -f',
    ...suggestionsOf(places).flatMap(({ path, args, words }) =>
      words === FILE
        ? [line(`${path}|${args}`, '-F')]
        : [...words].map(([word, about]) => line(`${path}|${args}`, `-a ${fishQuoted(word)} -d ${fishQuoted(about)}`)),
    ),
    ...places.flatMap((place) =>
      optionsOf(place).map(([name, { value, about }]) => {
        const takes = value === FILE ? ' -rF' : value ? ' -x' : '';
        return line(`${place.path}|*`, `-l ${name}${takes} -d ${fishQuoted(about)}`);
      }),
    ),
  ].join('\n');
}

const SHELLS = { bash, zsh, fish };
type Shell = keyof typeof SHELLS;

export const completionOf = (shell: Shell, commands: readonly Command[]): string =>
  `${SHELLS[shell](completionNodes(commands))}\n`;

/** The table is whole only when this command is in it. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  words: 'completion',
  about: 'print what makes a shell complete these commands',
  more: 'For this shell: source <(gatehouse completion bash). For every one, put it where the shell looks, as docs/guide/operating.md says.',
  args: [{ name: 'SHELL', about: 'which one', choices: Object.keys(SHELLS) }],
  run({ args: [shell] }) {
    print(completionOf(shell as Shell, commands()));
  },
});
