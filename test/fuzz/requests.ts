// A request for an operation of the OpenAPI document: mostly valid, with something odd now and then.
import type { Random } from './random.ts';
import { bodyText, NASTY, type UsualValues, ValueGenerator } from './values.ts';
import type { FuzzOperation } from './verdict.ts';
import type { WireRequest } from './wire.ts';

export type Header = readonly [string, string];

export interface FuzzPersona {
  readonly name: string;
  /** Headers that authenticate the persona for an operation with these security schemes. */
  credentials(security: readonly string[]): readonly Header[];
}

export interface RequestSource {
  readonly random: Random;
  /** A value for this path parameter: usually an existing id. */
  idFor(operation: FuzzOperation, parameter: string): string | undefined;
  readonly words: UsualValues;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const ENCODED = ['%', '%zz', '%00', '%c0%af', '%ff', '%2F', '%2e%2e', '%F0%9F%98%80', '%EF%BB%BF', '+', '%0d%0a'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'application/scim+json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/xml',
  'json',
  ';',
  '',
];
const ODD_HEADERS: readonly Header[] = [
  ['Accept', 'text/html;q=0.1, */*;q=2'],
  ['Accept', ''],
  ['Accept', 'application/xml'],
  ['Accept-Language', 'xx-'.repeat(200)],
  ['Accept-Encoding', 'br;q=1.0, gzip;q=0'],
  ['Cookie', 'a=b; =; ;;; __Host-gatehouse_wallet=x; gatehouse_wallet=%zz; _session=1; _session.sig=2'],
  ['DPoP', 'not.a.proof'],
  ['Authorization', 'Basic %%%'],
  ['Authorization', 'Bearer '],
  ['Authorization', 'Negotiate abc'],
  ['X-Auth-Token', 'x'.repeat(5000)],
  ['X-Subject-Token', ''],
  ['X-Forwarded-For', '1.2.3.4, unknown, "[::1]"'],
  ['X-Forwarded-Proto', 'gopher'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Forwarded', 'for=_x;proto=;host="'],
  ['If-Match', 'W/"'],
  ['If-None-Match', '*, "a", W/"b"'],
  ['If-Modified-Since', 'yesterday'],
  ['Idempotency-Key', 'k'.repeat(600)],
  ['Idempotency-Key', 'same'],
  ['Range', 'bytes=0-,-1'],
  ['Expect', '100-continue'],
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['OpenStack-Identity-Access-Rules', 'abc'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['User-Agent', '\x80\xff'],
];

function percentEncoded(text: string): string {
  return encodeURIComponent(text.isWellFormed() ? text : '%');
}

function targetOf(operation: FuzzOperation, source: RequestSource, values: ValueGenerator): string {
  const { random } = source;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (random.chance(values.wildness / 4)) return random.pick(ENCODED);
    const id = random.chance(values.wildness / 2) ? random.pick(NASTY) : source.idFor(operation, name);
    return percentEncoded(id ?? values.text(name));
  });
  const query: string[] = [];
  for (const { name, in: place, required } of operation.parameters) {
    if (place !== 'query' || !(required || random.chance(0.25))) continue;
    const value = random.chance(values.wildness / 4) ? random.pick(ENCODED) : percentEncoded(values.text(name));
    query.push(random.chance(0.05) ? name : `${name}=${value}`);
    if (random.chance(values.wildness / 4)) query.push(`${name}=${value}`);
  }
  if (random.chance(values.wildness / 4))
    query.push(random.pick(['a[]=1', '__proto__=1', '=', '&&', 'x', '%zz=%zz', `q=${'y'.repeat(6000)}`]));
  const odd = random.chance(values.wildness / 10) ? random.pick(['/', '//', '/.', ';a=b', '?', '#x', '/%2e%2e/', '/../v3']) : '';
  return path + odd + (query.length > 0 ? `?${query.join('&')}` : '');
}

function formOf(value: unknown): Buffer {
  const pairs = Object.entries(typeof value === 'object' && value !== null ? value : { value });
  return Buffer.from(
    pairs
      .map(
        ([name, one]) => `${percentEncoded(name)}=${percentEncoded(typeof one === 'string' ? one : (JSON.stringify(one) ?? ''))}`,
      )
      .join('&'),
  );
}

function bodyOf(operation: FuzzOperation, source: RequestSource, values: ValueGenerator): { body?: Buffer; type?: string } {
  const { random } = source;
  const [type, schema] = random.pick(Object.entries(operation.bodies)) ?? [];
  if (type === undefined || schema === undefined)
    // No body is expected here; send one now and then.
    return random.chance(values.wildness) ? { body: bodyText(random, { a: 1 }, values.wildness), type: random.pick(TYPES) } : {};
  if (random.chance(values.wildness / 4)) return random.chance(0.5) ? {} : { type };
  const value = values.of(schema);
  const body = type.endsWith('urlencoded') ? formOf(value) : bodyText(random, value, values.wildness);
  return { body, type: random.chance(values.wildness / 3) ? random.pick(TYPES) : type };
}

export function requestFor(operation: FuzzOperation, persona: FuzzPersona, source: RequestSource): WireRequest {
  const { random } = source;
  // Half of the requests are valid, so that they get past the schema and reach the rules.
  const values = new ValueGenerator(random, source.words, random.chance(0.5) ? 0.01 : 0.25);
  const target = targetOf(operation, source, values);
  const { body, type } = bodyOf(operation, source, values);
  const headers: Header[] = [...persona.credentials(operation.security)];
  for (const { name, in: place, required } of operation.parameters)
    if (place === 'header' && (required || random.chance(0.3))) headers.push([name, headerSafe(values.text(name))]);
  if (type !== undefined) headers.push(['Content-Type', type]);
  if (random.chance(values.wildness)) headers.push(random.pick(ODD_HEADERS));
  if (random.chance(values.wildness / 5) && headers.length > 0) headers.push(random.pick(headers));
  const method = random.chance(values.wildness / 5) ? random.pick(METHODS) : operation.method;
  if (body && body.length > 0 && random.chance(values.wildness / 3))
    return { method, target, headers: [...headers, ['Transfer-Encoding', 'chunked']], body: chunked(body, random) };
  return { method, target, headers, body };
}

/** No line breaks: those are tested in raw.ts. */
const headerSafe = (text: string): string => text.replace(/[\r\n\0]/g, '').slice(0, 4000);

function chunked(body: Buffer, random: Random): Buffer {
  const at = random.below(body.length);
  const piece = (part: Buffer) =>
    part.length === 0 ? [] : [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')];
  return Buffer.concat([...piece(body.subarray(0, at)), ...piece(body.subarray(at)), Buffer.from('0\r\n\r\n')]);
}
