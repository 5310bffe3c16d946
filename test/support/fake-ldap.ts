// An LDAP server that answers as a test says: what slapd never does.
import { createServer, type Server, type Socket } from 'node:net';
import { BerReader, BerWriter } from 'ldapts';

export interface FakeEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export interface FakeSearch {
  readonly base: string;
  /** The bytes of the request. Texts in its filter can be found in it. */
  readonly request: string;
  /** The last attribute that is asked for. */
  readonly lastAttribute: string;
}

export interface FakeAnswers {
  search(search: FakeSearch): readonly FakeEntry[];
  isPassword?(dn: string, password: string): boolean | Promise<boolean>;
  /** Bytes to send instead of the answer to a search. */
  instead?(id: number): Buffer | undefined;
}

const [BIND, BIND_RESPONSE, SEARCH, ENTRY, DONE] = [0x60, 0x61, 0x63, 0x64, 0x65];
const [SUCCESS, INVALID_CREDENTIALS] = [0, 49];
const SIMPLE = 0x80;

function message(id: number, tag: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(tag);
  write(writer);
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

const result = (id: number, tag: number, code: number): Buffer =>
  message(id, tag, (writer) => {
    writer.writeEnumeration(code);
    writer.writeString('');
    writer.writeString('');
  });

export const entryMessage = (id: number, { dn, attributes }: FakeEntry): Buffer =>
  message(id, ENTRY, (writer) => {
    writer.writeString(dn);
    writer.startSequence();
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence();
      writer.writeString(name);
      writer.startSequence(0x31);
      for (const value of values) writer.writeString(value);
      writer.endSequence();
      writer.endSequence();
    }
    writer.endSequence();
  });

export class FakeLdap {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** What was asked, in order: `search`, or `bind` with the DN. */
  readonly operations: string[] = [];

  constructor(answers: FakeAnswers) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', async (data) => {
        const reply = await this.#answer(data, answers);
        if (reply) socket.write(reply);
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `ldap://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** One request in each chunk: the client waits for answers. */
  async #answer(data: Buffer, answers: FakeAnswers): Promise<Buffer | undefined> {
    const reader = new BerReader(data);
    reader.readSequence();
    const id = reader.readInt()!;
    const operation = reader.readSequence();
    if (operation === BIND) {
      reader.readInt();
      const dn = reader.readString() ?? '';
      const password = reader.readString(SIMPLE) ?? '';
      this.operations.push(`bind ${dn}`);
      const isRight = (await answers.isPassword?.(dn, password)) ?? true;
      return result(id, BIND_RESPONSE, isRight ? SUCCESS : INVALID_CREDENTIALS);
    }
    if (operation !== SEARCH) return undefined;
    this.operations.push('search');
    const instead = answers.instead?.(id);
    if (instead) return instead;
    const base = reader.readString() ?? '';
    const request = data.toString('latin1');
    const lastAttribute = /([\w;=*-]+)(?:\xa0[\s\S]*)?$/.exec(request)?.[1] ?? '';
    const entries = answers.search({ base, request, lastAttribute });
    return Buffer.concat([...entries.map((entry) => entryMessage(id, entry)), result(id, DONE, SUCCESS)]);
  }
}
