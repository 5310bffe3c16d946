// Parses untrusted JSON and forms: limited depth, valid UTF-8, no NUL, no keys that reach a prototype.
import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import { fail } from '../faults/index.ts';

/** Deeply nested values overflow the stack of recursive code such as JSON.stringify. */
const MAX_DEPTH = 32;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function checkText(text: string, what: string): void {
  if (text.includes('\0')) fail('request.malformed_json', { why: `${what} contains a NUL character` });
  if (!text.isWellFormed()) fail('request.malformed_json', { why: `${what} contains half a surrogate pair` });
}

function checkValue(root: unknown): void {
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const { value, depth } = entry;
    if (typeof value === 'string') checkText(value, 'a string');
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) fail('request.malformed_json', { why: `it is nested deeper than ${MAX_DEPTH} levels` });
    for (const [key, child] of Object.entries(value)) {
      checkText(key, 'a key');
      if (FORBIDDEN_KEYS.has(key)) fail('request.malformed_json', { why: `the key ${key} is not allowed` });
      stack.push({ value: child, depth: depth + 1 });
    }
  }
}

/** An empty body is `undefined`: several clients send a Content-Type without a body. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) fail('request.malformed_json', { why: 'it is not UTF-8' });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's own message quotes the input, which may contain a password.
    fail('request.malformed_json', { why: 'it cannot be parsed' });
  }
  checkValue(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail('request.not_an_object');
  return value;
}

/** Parses a form by the same rules. A repeated name is refused, because it would be ambiguous. */
export function parseForm(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) fail('request.malformed_json', { why: 'it is not UTF-8' });
  // Not URLSearchParams, which is four times slower: proxies send a form with every request.
  const form = parse(bytes.toString('utf8'), '&', '=', { maxKeys: 0 });
  for (const name in form) {
    const value = form[name];
    if (typeof value !== 'string' || FORBIDDEN_KEYS.has(name))
      fail('request.malformed_json', { why: `the name ${name} is not allowed here` });
    checkText(value, 'a value');
  }
  return form as Record<string, string>;
}

/** The same rules for paths and queries. */
export function checkUrl(url: string): void {
  // A request target has no fragment (RFC 9112, 3.2). The router would cut it off after other checks have read it.
  if (url.includes('#')) fail('request.malformed_url', { why: 'it contains a fragment' });
  if (url.includes('%00')) fail('request.malformed_url', { why: 'it contains a NUL character' });
}
