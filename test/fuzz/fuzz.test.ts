// Tests of the fuzzer itself: it detects faults.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { type FuzzFinding, type FuzzPlan, type FuzzTarget, fuzzOperations, fuzzRaw, newTally, reportOf } from './fuzz.ts';
import { Random, seedOf } from './random.ts';
import { rawRequests } from './raw.ts';
import { requestFor } from './requests.ts';
import { operationsOf } from './verdict.ts';

const error = { type: 'object', required: ['error'], properties: { error: { type: 'object', required: ['code'] } } };
const { operations, errors } = operationsOf({
  paths: {
    '/things/{thing_id}': {
      put: {
        parameters: [{ name: 'thing_id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
          },
        },
        responses: { 200: {}, default: { $ref: '#/components/responses/Error' } },
        security: [{ token: [] }],
      },
    },
  },
  components: { responses: { Error: { content: { 'application/json': { schema: error } } } } },
});

const planOf = (seed: number, count: number): FuzzPlan => ({
  operations,
  personas: [{ name: 'somebody', credentials: () => [['X-Auth-Token', 'secret']] }],
  count,
  source: { random: new Random(seed), idFor: () => 'known', words: () => undefined },
  learn: async () => {},
});

/** The findings for a server that answers like this. */
async function findingsAt(answer: RequestListener, { raw = false, count = 40, deadlineMs = 5000 } = {}): Promise<FuzzFinding[]> {
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    request.resume();
    request.on('end', () => answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const target: FuzzTarget = {
    peer: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    deadlineMs,
    expectationsOf: (_target, operation) => ({ operation, formats: [errors], isDocumented: () => false }),
  };
  const tally = newTally();
  if (raw) await fuzzRaw(target, rawRequests(new Random(1), ['/things'], 0).slice(0, count), tally);
  else await fuzzOperations(target, planOf(1, count), tally);
  server.closeAllConnections();
  server.close();
  return tally.findings;
}

const refusing: RequestListener = (_request, response) => {
  response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":{"code":400}}');
};
/** Fails only now and then, like a real fault. */
const sometimes = (wrong: RequestListener): RequestListener => {
  let asked = 0;
  return (request, response) => (asked++ % 10 === 3 ? wrong(request, response) : refusing(request, response));
};

describe('The fuzzer', () => {
  it('finds nothing where there is nothing', async () => {
    assert.deepEqual(await findingsAt(refusing), []);
    assert.deepEqual(
      await findingsAt((_request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')),
      [],
    );
  });

  for (const [what, fault, wrong] of [
    [
      'a failure',
      /^failed with 500$/,
      (_request, response) => response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"error":{"code":500}}'),
    ],
    [
      'an error in another shape',
      /in no format/,
      (_request, response) => response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"no"}'),
    ],
    [
      'an error of another media type',
      /in no format/,
      (_request, response) => response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not Found'),
    ],
    ['an error without a body', /in no format/, (_request, response) => response.writeHead(400).end()],
    [
      'an error that tells another status',
      /another status/,
      (_request, response) => response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":{"code":404}}'),
    ],
    [
      'an error that shows a file',
      /insides/,
      (_request, response) =>
        response
          .writeHead(400, { 'Content-Type': 'application/json' })
          .end('{"error":{"code":400,"message":"at save (users.ts:7)"}}'),
    ],
    ['a status nobody knows of', /not documented/, (_request, response) => response.writeHead(302, { Location: '/' }).end()],
    [
      'broken JSON',
      /cannot be parsed/,
      (_request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{'),
    ],
    ['a connection that is cut', /without an answer/, (request) => request.socket.destroy()],
  ] satisfies [string, RegExp, RequestListener][]) {
    it(`finds ${what}`, async () => {
      const findings = await findingsAt(sometimes(wrong));
      assert.ok(findings.length > 0);
      for (const one of findings) assert.match(one.fault, fault);
    });
  }

  it('finds a request that is never answered', async () => {
    const findings = await findingsAt(() => {}, { count: 1, deadlineMs: 200 });
    assert.match(findings[0]!.fault, /deadline/);
    const raw = await findingsAt(() => {}, { raw: true, count: 1, deadlineMs: 200 });
    assert.match(raw[0]!.fault, /deadline/);
  });

  it('finds an answer to raw bytes that is not in the format', async () => {
    const findings = await findingsAt((_request, response) => response.writeHead(404).end('nothing here'), {
      raw: true,
      count: 5,
    });
    assert.match(findings[0]!.fault, /in no format/);
  });

  it('tells what to send again', async () => {
    const findings = await findingsAt((_request, response) => response.writeHead(500).end());
    const report = reportOf({ ...newTally(), findings, sent: 40 }, 12);
    assert.match(report, /FUZZ_SEED=12/);
    assert.match(report, /failed with 500: PUT \/things/);
    assert.match(report, /X-Auth-Token: secret/);
  });

  it('sends the same for the same seed, and something else for another', () => {
    const sentWith = (seed: number) => {
      const { source, personas } = planOf(seed, 0);
      return Array.from({ length: 50 }, () => requestFor(operations[0]!, personas[0]!, source));
    };
    assert.deepEqual(sentWith(3), sentWith(3));
    assert.notDeepEqual(sentWith(3), sentWith(4));
    assert.equal(seedOf({ FUZZ_SEED: '77' }), 77);
    assert.throws(() => seedOf({ FUZZ_SEED: 'x' }), /whole number/);
  });
});
