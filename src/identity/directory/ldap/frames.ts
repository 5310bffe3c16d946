// Cuts what a server sends into LDAP messages, within limits. The library would join all chunks of a message again with each new one, would
// call itself once for each message in a chunk until the stack is full, and would take any amount.

/** The largest message: an entry, for example a group with its members. */
const MOST_MESSAGE_BYTES = 32 * 1024 * 1024;
/** The largest answer to one request. */
const MOST_ANSWER_BYTES = 128 * 1024 * 1024;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** Tag, length and message id. */
const MOST_HEADER_BYTES = 16;

export interface FrameLimits {
  readonly message: number;
  readonly answer: number;
}

/** The number of bytes of the first message, and the id of its request; undefined when more bytes are needed to tell. */
function headerOf(bytes: Buffer): { readonly size: number; readonly id: string } | undefined {
  if (bytes.length > 0 && bytes[0] !== SEQUENCE) throw new Error('the server sends something other than LDAP messages');
  if (bytes.length < 2) return undefined;
  const first = bytes[1]!;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4) throw new Error('the server sends a message of unknown length');
  const start = 2 + lengthBytes;
  if (bytes.length < start + 2) return undefined;
  const size = start + (lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes));
  const idBytes = bytes[start + 1]!;
  if (bytes[start] !== INTEGER || idBytes > 4) throw new Error('the server sends a message without an id');
  if (bytes.length < start + 2 + idBytes) return undefined;
  return { size, id: bytes.toString('hex', start + 2, start + 2 + idBytes) };
}

export function createFrames(limits: FrameLimits = { message: MOST_MESSAGE_BYTES, answer: MOST_ANSWER_BYTES }) {
  let chunks: Buffer[] = [];
  let length = 0;
  let answer = { id: '', bytes: 0 };

  /** The first bytes, without joining all chunks. */
  function beginning(): Buffer {
    while (chunks.length > 1 && chunks[0]!.length < MOST_HEADER_BYTES) chunks.splice(0, 2, Buffer.concat(chunks.slice(0, 2)));
    return chunks[0] ?? Buffer.alloc(0);
  }

  function take(size: number): Buffer {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    const rest = all.subarray(size);
    chunks = rest.length > 0 ? [rest] : [];
    length = rest.length;
    return all.subarray(0, size);
  }

  /** Returns the messages that are complete now. Throws when the server goes beyond a limit. */
  function* read(data: Buffer): Generator<Buffer> {
    chunks.push(data);
    length += data.length;
    for (let header = headerOf(beginning()); header; header = headerOf(beginning())) {
      const { size, id } = header;
      if (size > limits.message) throw new Error(`the server sends a message of ${size} bytes`);
      if (length < size) return;
      answer = { id, bytes: (answer.id === id ? answer.bytes : 0) + size };
      if (answer.bytes > limits.answer) throw new Error(`the server sends an answer of more than ${limits.answer} bytes`);
      yield take(size);
    }
  }

  /** `isWithinMessage`: the last message is not complete. */
  return Object.assign(read, { isWithinMessage: () => length > 0 });
}
