// A network of its own for machines of a test: network namespaces, joined by a bridge that leads nowhere else.
import { execFileSync } from 'node:child_process';

const BRIDGE = 'bridge';

export class TestNetwork {
  readonly #prefix = `gatehouse-${process.pid}`;
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
    const bridge = this.#namespace('switch');
    this.#ip('netns', 'add', bridge);
    this.#ip('-n', bridge, 'link', 'add', BRIDGE, 'type', 'bridge');
    this.#ip('-n', bridge, 'link', 'set', BRIDGE, 'up');
    names.forEach((name, index) => {
      const namespace = this.#namespace(name);
      const port = `port${index}`;
      this.#ip('netns', 'add', namespace);
      this.#ip('-n', bridge, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      this.#ip('-n', bridge, 'link', 'set', port, 'master', BRIDGE, 'up');
      this.#ip('-n', namespace, 'addr', 'add', `${this.address(name)}/24`, 'dev', 'eth0');
      for (const device of ['lo', 'eth0']) this.#ip('-n', namespace, 'link', 'set', device, 'up');
    });
  }

  #ip(...args: string[]): void {
    execFileSync('ip', args);
  }

  #namespace(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  address(name: string): string {
    return `10.87.0.${this.#names.indexOf(name) + 1}`;
  }

  path(name: string): string {
    return `/run/netns/${this.#namespace(name)}`;
  }

  /** A veth ends with its namespace, and with its other end. */
  remove(): void {
    for (const name of ['switch', ...this.#names]) this.#ip('netns', 'delete', this.#namespace(name));
  }
}
