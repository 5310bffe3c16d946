// kill -9 at random moments, while many clients write to both services: after each restart every acknowledged write is there, nothing is
// half done, and the service is ready without help. KILL_ROUNDS sets the rounds on each database.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inFullRun } from '../support/extent.ts';
import { PlainProvider } from '../support/plain-provider.ts';
import { ToyIssuer } from '../support/toy-issuer.ts';
import { BothServices } from './both-services.ts';
import type { Fact } from './fact.ts';
import { checkAuditEvents, checkInvariants, readEpochs } from './invariants.ts';
import { createRandom } from './random.ts';
import { amount, percentile, report } from './report.ts';
import { buildWorld, type World } from './world.ts';

const ROUNDS = amount('KILL_ROUNDS', inFullRun(2, 1));
const CLIENTS = 8;
/** A kill comes after a random number of acknowledged writes below this, and some milliseconds: so it does not depend on the machine's speed. */
const MOST_WRITES = 60;
const LATER_MS = 30;
const LONGEST_MS = 10_000;
/** Share of the changes that begin something new. */
const NEW = 0.3;
/** Share of the restarts that are killed, too. */
const KILLED_AGAIN = 0.2;
/** Facts of earlier rounds that are verified in each round; at the end all are. */
const OLD_FACTS = 10;
const OUTBOX_MS = 300_000;

/** Takes the notifications of the service, and knows what it was told. */
class WebHook {
  readonly told: { event: string; user_id: string }[] = [];
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer(async (request, response) => {
      this.told.push(JSON.parse(await text(request)));
      response.writeHead(204).end();
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Reads the mails that the service writes to its folder, which keeps the newest only. */
class Mails {
  readonly #folder: string;
  readonly #seen = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  collect(): void {
    for (const name of existsSync(this.#folder) ? readdirSync(this.#folder) : [])
      if (name.endsWith('.eml') && !this.#seen.has(name))
        this.#seen.set(name, /^To: (.*)$/m.exec(readFileSync(join(this.#folder, name), 'utf8'))?.[1]?.trim() ?? '');
  }

  countTo(address: string): number {
    return [...this.#seen.values()].filter((one) => one === address).length;
  }
}

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  describe(`kill -9 under mixed writes (${kind})`, () => {
    const random = createRandom();
    const provider = new PlainProvider();
    const issuer = new ToyIssuer();
    const webHook = new WebHook();
    let services: BothServices;
    let world: World;
    let mails: Mails;

    before(async () => {
      await Promise.all([provider.start(), issuer.start(), webHook.start()]);
      services = new BothServices(kind, {
        GATEHOUSE_RATE_LIMITS: 'off',
        GATEHOUSE_IDENTITY_WEBHOOK_URL: webHook.url,
        GATEHOUSE_IDENTITY_WEBHOOK_SECRET: 'a secret of the tests, long enough',
        GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
        GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
        GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
      });
      await services.open();
      mails = new Mails(join(services.dataDir, 'mail'));
      world = await buildWorld(services, provider, issuer);
    });
    after(async () => {
      await services.close();
      await Promise.all([provider.stop(), issuer.stop()]);
      webHook.stop();
    });

    /** Clients write until the service is killed. Returns the facts they touched, and how many writes were acknowledged. */
    async function writeUntilKilled(): Promise<{ touched: Set<Fact>; acknowledged: number }> {
      const touched = new Set<Fact>();
      let acknowledged = 0;
      let isKilled = false;
      const client = async (): Promise<void> => {
        while (!isKilled) {
          const free = world.facts.filter(({ isBusy, isOver }) => !isBusy && !isOver);
          const isNew = free.length === 0 || random.next() < NEW;
          const fact = isNew ? world.invent(random) : random.pick(free);
          if (isNew) world.facts.push(fact);
          fact.isBusy = true;
          try {
            if (await fact.change(random)) acknowledged++;
            else if (!fact.isOver) return;
          } finally {
            fact.isBusy = false;
            touched.add(fact);
          }
        }
      };
      const kill = async (): Promise<void> => {
        const enough = random.below(MOST_WRITES);
        for (const end = Date.now() + LONGEST_MS; acknowledged < enough && Date.now() < end; ) await sleep(1);
        await sleep(random.below(LATER_MS));
        await services.kill();
        isKilled = true;
      };
      await Promise.all([kill(), ...Array.from({ length: CLIENTS }, client)]);
      return { touched, acknowledged };
    }

    /** Starts again; sometimes that start is killed as well. */
    async function restart(usualMs: number): Promise<number> {
      while (random.next() < KILLED_AGAIN) {
        services.launch();
        await sleep(random.below(usualMs));
        await services.kill();
      }
      return services.start();
    }

    /** Each change of a second factor goes to the web hook, and each new password is told by mail: at least once. */
    async function checkDeliveries(): Promise<void> {
      const waiting = async (queue: string) =>
        Number((await services.query('identity', `select count(*) as n from ${queue}`))[0]!.n);
      for (const end = Date.now() + OUTBOX_MS; (await waiting('outbox')) + (await waiting('mails')) > 0; await sleep(100))
        assert.ok(Date.now() < end, `${await waiting('outbox')} notifications and ${await waiting('mails')} mails still wait`);
      for (const { userId, happened, name } of world.secondFactors)
        for (const [event, count] of happened) {
          const told = webHook.told.filter((one) => one.event === event && one.user_id === userId).length;
          assert.ok(told >= count, `${name}: ${event} happened ${count} times, and was told ${told} times`);
        }
      mails.collect();
      for (const { address, happened, name } of world.passwords) {
        const [changes, sent] = [happened.get('user.password_changed') ?? 0, mails.countTo(address)];
        assert.ok(sent >= changes, `${name} changed ${changes} times, and ${sent} mails say so`);
      }
    }

    it(`loses nothing in ${ROUNDS} rounds, seed ${random.seed}`, { timeout: 120_000 + ROUNDS * 60_000 }, async () => {
      const starts: number[] = [];
      let [writes, lost, epochs] = [0, 0, await readEpochs(services)];
      for (let round = 1; round <= ROUNDS; round++) {
        const where = `round ${round}, seed ${random.seed}`;
        const { touched, acknowledged } = await writeUntilKilled();
        writes += acknowledged;
        starts.push(await restart(starts[0] ?? 1000));
        for (let i = 0; i < OLD_FACTS; i++) touched.add(random.pick(world.facts));
        const unanswered = [...touched].filter(({ pending }) => pending);
        lost += unanswered.length;
        try {
          await Promise.all([...touched].map((fact) => fact.verify()));
          await checkAuditEvents(services, [...touched]);
          await checkInvariants(services);
          const now = await readEpochs(services);
          for (const [id, epoch] of now) assert.ok(epoch >= (epochs.get(id) ?? 0), `the epoch of ${id} went back`);
          epochs = now;
          mails.collect();
        } catch (error) {
          throw new Error(`${where}: ${(error as Error).message}\n${services.running?.stdout.slice(-3000)}`, { cause: error });
        }
      }
      for (const fact of world.facts) await fact.verify();
      await checkAuditEvents(services, world.facts);
      await checkDeliveries();
      report(
        'kills',
        `${kind}: ${ROUNDS} rounds, ${world.facts.length} things, ${writes} acknowledged writes, ${lost} without an answer; ready again after ${Math.round(percentile(starts, 0.5))} ms (median), ${Math.round(Math.max(...starts))} ms (longest); seed ${random.seed}`,
      );
    });
  });
