// Makes mutants of source files: small changes that a test should notice. All of them are written into one text, each behind a question
// `__mutant(7)`, so that a process chooses one by its number, and tells which of them it reached. Where a value says whether a mutant would
// make a difference, `__saw` looks at it, and `__is` is the question.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type BinaryExpression,
  type ConditionalExpression,
  type IfStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript-compiler/unstable/ast';
import {
  isBinaryExpression,
  isBlock,
  isIfStatement,
  isPrefixUnaryExpression,
  isTypeNode,
} from 'typescript-compiler/unstable/ast/is';
import { API } from 'typescript-compiler/unstable/sync';

export interface Mutant {
  readonly id: number;
  /** Where and what, for people; also its name in a later run. */
  readonly place: string;
  readonly change: string;
}

interface Change {
  readonly to: string;
  readonly change: string;
  /** It makes a difference only where this part of the expression is true, or false. */
  readonly where?: { readonly part: Node; readonly is: boolean };
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const COMPARISONS = new Set([...Object.keys(BOUNDARIES), '===', '!==', 'in', 'instanceof']);
/** What is said to operators, what only tests use, and what declares: routes and schemas. */
const NO_GUARD = /^(?:await |void )*(?:super\b|(?:[\w.#]*\.)?(?:log|metrics|counters?)\b|testPoint\b|app\.|t\.)/;
const MOST_SHOWN = 80;

const operatorOf = (node: Node): string => (isBinaryExpression(node) ? node.operatorToken.getText() : '');
const isLogical = (node: Node): node is BinaryExpression => ['&&', '||'].includes(operatorOf(node));
const isNegation = (node: Node): boolean => isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;
const shown = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}...` : line;
};

function isCondition(node: Node, parent: Node): boolean {
  if (isIfStatement(parent)) return parent.expression === node;
  return parent.kind === SyntaxKind.ConditionalExpression && (parent as ConditionalExpression).condition === node;
}

/** A comparison whose value is returned, passed on or kept. */
const isAnswer = (node: Node, parent: Node): boolean =>
  (COMPARISONS.has(operatorOf(node)) || isNegation(node)) &&
  !isLogical(parent) &&
  !isNegation(parent) &&
  parent.kind !== SyntaxKind.ParenthesizedExpression &&
  ![SyntaxKind.ForStatement, SyntaxKind.WhileStatement, SyntaxKind.DoStatement].includes(parent.kind);

/** A test that notices a dropped operand of `&&` notices `true` as well, and for `||` it notices `false`. */
function expressionChanges(node: Node, parent: Node): Change[] {
  const changes: Change[] = [];
  const to = (text: string, part?: Node, is = true): void =>
    void changes.push({
      to: text,
      change: `${shown(node.getText())} -> ${shown(text)}`,
      ...(part ? { where: { part, is } } : {}),
    });
  if (isCondition(node, parent) || isAnswer(node, parent)) {
    if (operatorOf(node) !== '&&') to('true', node, false);
    if (operatorOf(node) !== '||') to('false', node, true);
  }
  if (isLogical(node) && node.right.kind !== SyntaxKind.ObjectLiteralExpression) {
    // `a && b && c` is `(a && b) && c`; what is dropped from `a && b` is not dropped again as a whole.
    if (operatorOf(node.left) !== operatorOf(node)) to(node.right.getText(), node.left, operatorOf(node) === '||');
    to(node.left.getText(), node.right, operatorOf(node) === '||');
  }
  if (operatorOf(node) === '??' && /^fail\w*\(/.test((node as BinaryExpression).right.getText())) {
    to((node as BinaryExpression).left.getText());
  }
  const boundary = BOUNDARIES[operatorOf(node)];
  if (boundary && isBinaryExpression(node)) to(`${node.left.getText()} ${boundary} ${node.right.getText()}`);
  return changes;
}

/** Whether this holds one statement, of an `if` without `else`: its condition removes it already. */
function isOnlyOneOfIf(parent: Node): boolean {
  if (isIfStatement(parent)) return !parent.elseStatement;
  const above = parent.parent;
  return isBlock(parent) && parent.statements.length === 1 && isIfStatement(above) && !(above as IfStatement).elseStatement;
}

function isRemovable(node: Node, parent: Node): boolean {
  if (isOnlyOneOfIf(parent)) return false;
  if (node.kind === SyntaxKind.ThrowStatement) return true;
  if (node.kind === SyntaxKind.ReturnStatement) return isIfStatement(parent) || (isBlock(parent) && isIfStatement(parent.parent));
  if (node.kind !== SyntaxKind.ExpressionStatement) return false;
  const text = node.getText();
  return !NO_GUARD.test(text) && /^(?:await |void )*[^=]*?\(/.test(text);
}

/** The text of a file with all its mutants. */
export function mutated(
  source: SourceFile,
  path: string,
  firstId: number,
): { readonly text: string; readonly mutants: readonly Mutant[] } {
  const mutants: Mutant[] = [];
  const add = (node: Node, change: string): number => {
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart());
    const id = firstId + mutants.length;
    mutants.push({ id, place: `${path}:${line + 1}:${character + 1}`, change });
    return id;
  };
  /** Which mutants to mark where a part is true, and where it is false. */
  const watched = new Map<Node, { true: number; false: number }>();
  const looked = (part: Node, text: string): string => {
    const ids = watched.get(part);
    watched.delete(part);
    return ids ? `__saw((${text}), ${ids.true}, ${ids.false})` : text;
  };
  const visit = (node: Node): string => {
    if (isTypeNode(node)) return node.getText();
    const asked: string[] = [];
    const own = { true: 0, false: 0 };
    for (const { to, change, where } of node.parent ? expressionChanges(node, node.parent) : []) {
      const id = add(node, change);
      asked.push(`${where ? '__is' : '__mutant'}(${id}) ? (${to}) : `);
      if (where?.part === node) own[`${where.is}`] = id;
      else if (where) watched.set(where.part, { true: 0, false: 0, [`${where.is}`]: id });
    }
    const removed = node.parent && isRemovable(node, node.parent) ? add(node, `${shown(node.getText())} -> removed`) : undefined;
    let text = '';
    let at = node.getStart();
    node.forEachChild((child) => {
      const start = child.getStart();
      if (child.end > start) {
        text += source.text.slice(at, start) + looked(child, visit(child));
        at = child.end;
      }
      return undefined;
    });
    text += source.text.slice(at, node.end);
    if (removed) return `{ if (!__mutant(${removed})) ${text} }`;
    if (own.true || own.false) text = `__saw((${text}), ${own.true}, ${own.false})`;
    return asked.length > 0 ? `(${asked.join('')}(${text}))` : text;
  };
  const text = source.text.slice(0, source.getStart()) + visit(source);
  return { text, mutants };
}

/** The syntax trees of files, from the compiler that checks the project. Types are not needed, nor what the files import. */
export function withSyntax<T>(files: readonly string[], work: (sourceOf: (file: string) => SourceFile) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-syntax-'));
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = { noResolve: true, noLib: true, types: [], noEmit: true };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: files.map((file) => resolve(file)) }));
  const api = new API({ cwd: folder });
  try {
    const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)!.program;
    return work((file) => program.getSourceFile(resolve(file))!);
  } finally {
    api.close();
    rmSync(folder, { recursive: true });
  }
}
