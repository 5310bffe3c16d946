// Bytes that no client library would send: broken request lines, headers and bodies. The service must answer each in its own format or
// close the connection, and must not hang.
import type { Random } from './random.ts';

export interface RawRequest {
  readonly name: string;
  readonly bytes: Buffer;
  /** Half a request, after which we close our side. The service may close the connection without an answer. */
  readonly cut?: boolean;
}

const line = (text: string): Buffer => Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1');

/** A request to a known path in which only this part is wrong. */
function requestWith(parts: { request?: string; host?: string; headers?: string; body?: string }): Buffer {
  const { request = 'POST /PATH HTTP/1.1', host = 'Host: 127.0.0.1\n', headers = '', body = '' } = parts;
  return line(`${request}\n${host}Connection: close\n${headers}\n${body}`);
}

const JSON_TYPE = 'Content-Type: application/json\n';
const PIECES: Readonly<Record<string, Parameters<typeof requestWith>[0] & { cut?: boolean }>> = {
  'an unknown path, JSON promised, no body': { request: 'DELETE /nowhere HTTP/1.1', headers: JSON_TYPE },
  'a known path, another method, JSON promised, no body': { request: 'PATCH /PATH HTTP/1.1', headers: JSON_TYPE },
  'a known path, another method, a form promised, no body': {
    request: 'PATCH /PATH HTTP/1.1',
    headers: 'Content-Type: application/x-www-form-urlencoded\n',
  },
  'an unknown path, a form': {
    request: 'POST /nowhere HTTP/1.1',
    headers: 'Content-Type: application/x-www-form-urlencoded\nContent-Length: 3\n',
    body: 'a=b',
  },
  'an unknown path, text': {
    request: 'PUT /nowhere HTTP/1.1',
    headers: 'Content-Type: text/plain\nContent-Length: 3\n',
    body: 'abc',
  },
  'no host': { request: 'GET /PATH HTTP/1.1', host: '' },
  'two hosts': { request: 'GET /PATH HTTP/1.1', headers: 'Host: other\n' },
  'an odd host': { request: 'GET /PATH HTTP/1.1', host: 'Host: a b/c?d#e@f\n' },
  'no version': { request: 'GET /PATH' },
  'HTTP/1.0': { request: 'GET /PATH HTTP/1.0' },
  'HTTP/2.0': { request: 'GET /PATH HTTP/2.0' },
  'HTTP/9.9': { request: 'GET /PATH HTTP/9.9' },
  'an unknown method': { request: 'FROB /PATH HTTP/1.1' },
  'a method in lower case': { request: 'get /PATH HTTP/1.1' },
  'the method CONNECT': { request: 'CONNECT 127.0.0.1:22 HTTP/1.1', cut: true },
  'the method TRACE': { request: 'TRACE /PATH HTTP/1.1' },
  'the method OPTIONS of everything': { request: 'OPTIONS * HTTP/1.1' },
  'an absolute address': { request: 'GET http://127.0.0.1/PATH HTTP/1.1' },
  'an address with a name and a password': { request: 'GET http://a:b@[::1]:99999/ HTTP/1.1' },
  'no slash first': { request: 'GET PATH HTTP/1.1' },
  'two slashes first': { request: 'GET //PATH HTTP/1.1' },
  'a path with a space': { request: 'GET /PA TH HTTP/1.1' },
  'a path with raw bytes': { request: 'GET /PATH/\xff\xfe\x80 HTTP/1.1' },
  'a path with a NUL': { request: 'GET /PATH/\0 HTTP/1.1' },
  'a path with half an escape': { request: 'GET /PATH/% HTTP/1.1' },
  'a path with a wrong escape': { request: 'GET /PATH/%zz?a=%zz HTTP/1.1' },
  'a path with bytes that are no UTF-8': { request: 'GET /PATH/%ff%fe HTTP/1.1' },
  'a very long path': { request: `GET /PATH/${'a'.repeat(9000)} HTTP/1.1` },
  'a path longer than all headers may be': { request: `GET /PATH/${'a'.repeat(40_000)} HTTP/1.1` },
  'a query of a thousand names': { request: `GET /PATH?${Array.from({ length: 1000 }, (_, n) => `a${n}=1`).join('&')} HTTP/1.1` },
  'a query with brackets': { request: 'GET /PATH?a[b][c]=1&a[]=2&__proto__[x]=1 HTTP/1.1' },
  'headers larger than they may be': { request: 'GET /PATH HTTP/1.1', headers: `X-Big: ${'a'.repeat(40_000)}\n` },
  'three thousand headers': {
    request: 'GET /PATH HTTP/1.1',
    headers: Array.from({ length: 3000 }, (_, n) => `X-${n}: 1\n`).join(''),
  },
  'a header without a colon': { request: 'GET /PATH HTTP/1.1', headers: 'Nonsense\n' },
  'a header without a name': { request: 'GET /PATH HTTP/1.1', headers: ': value\n' },
  'a header with a space in its name': { request: 'GET /PATH HTTP/1.1', headers: 'X Name: value\n' },
  'a header with a NUL': { request: 'GET /PATH HTTP/1.1', headers: 'X-Name: a\0b\n' },
  'a folded header': { request: 'GET /PATH HTTP/1.1', headers: 'X-Name: a\n b\n' },
  'two tokens': {
    request: 'GET /PATH HTTP/1.1',
    headers: 'X-Auth-Token: a\nX-Auth-Token: b\nAuthorization: Bearer a\nAuthorization: Basic b\n',
  },
  'two content types': { headers: `${JSON_TYPE}Content-Type: text/plain\nContent-Length: 2\n`, body: '{}' },
  'two lengths': { headers: `${JSON_TYPE}Content-Length: 2\nContent-Length: 3\n`, body: '{}' },
  'a length that is no number': { headers: `${JSON_TYPE}Content-Length: two\n`, body: '{}' },
  'a negative length': { headers: `${JSON_TYPE}Content-Length: -1\n`, body: '{}' },
  'an enormous length': { headers: `${JSON_TYPE}Content-Length: 99999999999\n`, body: '{}', cut: true },
  'a length beyond all numbers': { headers: `${JSON_TYPE}Content-Length: 99999999999999999999999\n`, body: '{}', cut: true },
  'a length and chunks': { headers: `${JSON_TYPE}Content-Length: 2\nTransfer-Encoding: chunked\n`, body: '2\n{}\n0\n\n' },
  'chunks of no size': { headers: `${JSON_TYPE}Transfer-Encoding: chunked\n`, body: 'xx\n{}\n0\n\n' },
  'an empty chunked body': { headers: `${JSON_TYPE}Transfer-Encoding: chunked\n`, body: '0\n\n' },
  'an empty chunked body to nowhere': {
    request: 'POST /nowhere HTTP/1.1',
    headers: `${JSON_TYPE}Transfer-Encoding: chunked\n`,
    body: '0\n\n',
  },
  'an encoding nobody knows': { headers: `${JSON_TYPE}Transfer-Encoding: rot13\nContent-Length: 2\n`, body: '{}' },
  'a compressed body': { headers: `${JSON_TYPE}Content-Encoding: gzip\nContent-Length: 2\n`, body: '{}' },
  'a body of a GET': { request: 'GET /PATH HTTP/1.1', headers: `${JSON_TYPE}Content-Length: 5\n`, body: '{"a":' },
  'a body of a HEAD': { request: 'HEAD /PATH HTTP/1.1', headers: `${JSON_TYPE}Content-Length: 2\n`, body: '{}' },
  'JSON in UTF-16': { headers: 'Content-Type: application/json;charset=utf-16\nContent-Length: 4\n', body: '{\0}\0' },
  'a media type that is none': { headers: 'Content-Type: ////;;;\nContent-Length: 2\n', body: '{}' },
  'half a body': { headers: `${JSON_TYPE}Content-Length: 20\n`, body: '{"a":', cut: true },
  'half a chunk': { headers: `${JSON_TYPE}Transfer-Encoding: chunked\n`, body: 'ff\n{"a":', cut: true },
  'half a header': { request: 'GET /PATH HTTP/1.1\nX-Na', host: '', cut: true },
  'an upgrade to WebSocket': {
    request: 'GET /PATH HTTP/1.1',
    headers: 'Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\nSec-WebSocket-Version: 13\n',
  },
  'an upgrade to HTTP/2': {
    request: 'GET /PATH HTTP/1.1',
    headers: 'Upgrade: h2c\nConnection: Upgrade, HTTP2-Settings\nHTTP2-Settings: AAMAAABkAAQAAP__\n',
  },
  'an expectation nobody meets': { headers: `${JSON_TYPE}Expect: the-unexpected\nContent-Length: 2\n`, body: '{}' },
};

const BYTES: Readonly<Record<string, Buffer>> = {
  'a greeting of TLS': Buffer.from('16030100c8010000c403033a', 'hex'),
  'the preface of HTTP/2': line('PRI * HTTP/2.0\n\nSM\n\n'),
  'lines of another protocol': line('EHLO example\nMAIL FROM:<a>\n'),
  'only line ends': line('\n\n\n\n'),
  'a request with bare line feeds': Buffer.from('GET / HTTP/1.1\nHost: a\n\n'),
};

/** Every case for each of these paths, and this number of random mutations of them. */
export function rawRequests(random: Random, paths: readonly string[], mutations: number): RawRequest[] {
  const plain = paths.flatMap((path) =>
    Object.entries(PIECES).map(([name, { cut = false, ...parts }]): RawRequest => {
      const filled = Object.fromEntries(
        Object.entries(parts).map(([key, text]) => [key, text.replaceAll('PATH', path.slice(1))]),
      );
      return {
        name: `${name} (${path})`,
        bytes: requestWith(filled.request ? filled : { ...filled, request: `POST ${path} HTTP/1.1` }),
        cut,
      };
    }),
  );
  const others = Object.entries(BYTES).map(([name, bytes]): RawRequest => ({ name, bytes, cut: true }));
  const mutated = Array.from({ length: mutations }, (_, n): RawRequest => {
    const { name, bytes } = random.pick(plain.filter((one) => one.bytes.length < 2000));
    const copy = Buffer.from(bytes);
    for (let change = random.below(4); change >= 0; change--) copy[random.below(copy.length)] = random.below(256);
    const end = random.chance(0.2) ? random.below(copy.length) + 1 : copy.length;
    return { name: `${name}, changed (${n})`, bytes: copy.subarray(0, end), cut: true };
  });
  return [...plain, ...others, ...mutated];
}
