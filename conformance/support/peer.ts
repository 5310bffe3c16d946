// A program that answers commands, a line of JSON each.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Peer {
  /** Rejects with what the program says went wrong. */
  ask(command: string, request?: object): Promise<any>;
  end(): void;
}

export function startPeer(program: string, ...args: string[]): Peer {
  const peer = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  return {
    async ask(command, request = {}) {
      peer.stdin.write(`${JSON.stringify({ command, ...request })}\n`);
      const { answer, error } = JSON.parse((await lines.next()).value ?? '{"error":"it has ended"}');
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    end: () => void peer.stdin.end(),
  };
}
