// Reads a set-up file: YAML or JSON, with the line of every key. What YAML can do beyond plain data is refused.
import { closeSync, openSync, readSync } from 'node:fs';
import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { nearMatch } from '../platform/config/index.ts';
import { problemsOf } from '../platform/http/index.ts';
import { domainSettingKeys, settingHint } from './kinds/index.ts';
import type { Path } from './model.ts';
import { type SetupFile, SetupSchema } from './schema.ts';
import { SetupError, shown } from './text.ts';

/** An export of ten thousand things has about a megabyte. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Deeper than the deepest tree of organizations that a service allows, and far from the limits of the parser. */
const MAX_DEPTH = 100;
const MAX_REPORTED = 20;

export interface SetupDocument {
  readonly file: SetupFile;
  readonly text: string;
  /** `setup.yaml:12: applications[0].name` */
  place(path: Path): string;
  lineOf(path: Path): number;
}

function readText(path: string): string {
  let handle: number;
  try {
    handle = openSync(path, 'r');
  } catch (error) {
    throw new SetupError(`${shown(path)}: cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    // A file can grow, and a pipe has no size, so that not the size but what was read counts.
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let size = 0;
    for (let count = -1; count !== 0 && size <= MAX_BYTES; size += count)
      count = readSync(handle, buffer, size, buffer.length - size, null);
    if (size > MAX_BYTES) throw new SetupError(`${shown(path)}: is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, size));
  } catch (error) {
    if (error instanceof SetupError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `${shown(path)}: cannot be read: ${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code}`,
    );
  } finally {
    closeSync(handle);
  }
}

/** Before the parser, which calls itself for each level. Brackets in texts count, too; nobody writes that many. */
function checkDepth(name: string, text: string): void {
  let depth = 0;
  let line = 1;
  for (const sign of text) {
    if (sign === '\n') line++;
    else if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth = Math.max(0, depth - 1);
    if (depth > 10 * MAX_DEPTH) throw new SetupError(`${name}:${line}: is nested too deeply`);
  }
  for (const [index, row] of text.split('\n').entries())
    if ((/^[ ]*(?:[-?:][ \t]+)*/.exec(row)?.[0].length ?? 0) > 10 * MAX_DEPTH)
      throw new SetupError(`${name}:${index + 1}: is nested too deeply`);
}

const keyOf = (key: unknown): unknown => (isScalar(key) ? key.value : key);

/** The node at a path, or the nearest one above it; the key of a map rather than its value. */
function nodeAt(root: unknown, path: Path): Node | undefined {
  let node = root;
  let found = isNode(root) ? root : undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => String(keyOf(item.key)) === String(part));
      if (!pair) break;
      if (isNode(pair.key)) found = pair.key;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (isNode(node)) found = node;
    } else break;
  }
  return found;
}

export const pathText = (path: Path): string =>
  path
    .map((part, index) => (/^\d+$/.test(String(part)) ? `[${part}]` : `${index > 0 ? '.' : ''}${shown(String(part), false)}`))
    .join('');

/** `name`: how messages call the file. */
export function parseSetup(name: string, text: string): SetupDocument {
  checkDepth(name, text);
  const lines = new LineCounter();
  const refuse = (offset: number, why: string): never => {
    throw new SetupError(`${name}:${lines.linePos(offset).line}: ${why}`);
  };
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: 'core',
    version: '1.2',
    uniqueKeys: true,
    strict: true,
    stringKeys: true,
    merge: false,
    customTags: null,
    prettyErrors: false,
  });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) refuse(problem.pos[0], shown(problem.message.split('\n', 1)[0]!, false));
  let depth = 0;
  visit(document, {
    Node(_key, node, ancestors) {
      depth = Math.max(depth, ancestors.length);
      const start = node.range?.[0] ?? 0;
      if (isAlias(node) || ('anchor' in node && node.anchor !== undefined))
        refuse(start, 'anchors and aliases (& and *) are not used here: write it out');
      if (node.tag !== undefined) refuse(start, `the tag ${shown(node.tag)} is not used here`);
      if (depth > 4 * MAX_DEPTH) refuse(start, 'is nested too deeply');
    },
  });
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  const lineOf = (path: Path): number => lines.linePos(nodeAt(document.contents, path)?.range?.[0] ?? 0).line;
  const place = (path: Path): string => `${name}:${lineOf(path)}: ${pathText(path) || 'the file'}`;
  checkValue(value, place);
  return { file: value as SetupFile, text, place, lineOf };
}

function checkValue(value: unknown, place: (path: Path) => string): void {
  if (typeof value === 'object' && value !== null) {
    if ('limits' in value) throw new SetupError(`${place(['limits'])}: is not supported: only registered_limits are`);
  }
  const problems = problemsOf(SetupSchema, value);
  if (problems.length === 0) return;
  const texts = problems.map(({ path, why }) => `${place(path)}: ${shown(why, false)}${hintFor(path, why)}`);
  const rest = texts.length > MAX_REPORTED ? [`and ${texts.length - MAX_REPORTED} more`] : [];
  throw new SetupError([...new Set(texts.slice(0, MAX_REPORTED)), ...rest].join('\n'));
}

const KEYS = [
  ...new Set(
    JSON.stringify(SetupSchema)
      .matchAll(/"(\w+)":\{/g)
      .map(([, key]) => key!),
  ),
];

function hintFor(path: Path, why: string): string {
  if (!why.startsWith('it is not a property')) return '';
  if (path[0] === 'settings') return settingHint(String(path.at(-1)));
  if (path[2] === 'settings') return settingHint(String(path.at(-1)), domainSettingKeys);
  const near = nearMatch(String(path.at(-1)), KEYS);
  return near ? ` (did you mean ${near}?)` : '';
}

export const readSetup = (path: string): SetupDocument => parseSetup(shown(path, false), readText(path));
