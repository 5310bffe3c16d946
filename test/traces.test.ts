// Traces: sent by OTLP to a small collector; a part of the caller's trace; without secrets and names; off by default.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { tracingSettingsOf } from '../src/platform/otlp/index.ts';
import { usesProcesses } from './support/process.ts';

const PASSWORD = 'the administrator of the traces';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const PATIENCE_MS = 60_000;

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

describe('Traces', () => {
  const { newFolder, run } = usesProcesses();
  const bodies: string[] = [];
  const hooks: IncomingHttpHeaders[] = [];
  const seen: IncomingHttpHeaders[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.url === '/v1/traces') bodies.push(body);
      (request.url === '/v1/traces' ? seen : hooks).push(request.headers);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  let address = '';
  before(async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    address = `http://127.0.0.1:${(collector.address() as { port: number }).port}`;
  });
  after(() => collector.close());

  const spans = (): Span[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((one: any) => one.scopeSpans.flatMap((scope: any) => scope.spans)),
    );
  const attribute = (span: Span, key: string): unknown =>
    Object.values(span.attributes.find((one) => one.key === key)?.value ?? {})[0];

  async function settings(more: Record<string, string> = {}) {
    return {
      GATEHOUSE_DATA_DIR: await newFolder(),
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '1',
      GATEHOUSE_IDENTITY_WEBHOOK_URL: `${address}/hook`,
      GATEHOUSE_IDENTITY_WEBHOOK_SECRET: 'a secret of the traces',
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      ...more,
    };
  }
  const logIn = (url: string, password: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({
        auth: { identity: { methods: ['password'], password: { user: { name: 'admin', domain: { id: 'default' }, password } } } },
      }),
    });
  async function hooked(count: number): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; hooks.length < count && Date.now() < end; ) await delay(20);
    assert.ok(hooks.length >= count);
  }

  it('have requests, statements, hashes and outgoing calls, in the trace of the caller', async () => {
    const service = run(['identity'], await settings({ GATEHOUSE_TRACES: 'on' }));
    const url = await service.listening();
    const good = await logIn(url, PASSWORD, { traceparent: `00-${TRACE}-${PARENT}-01`, baggage: 'who=somebody' });
    assert.equal(good.status, 201);
    const token = good.headers.get('x-subject-token')!;
    // With the flag "not sampled" nothing is recorded.
    await logIn(url, PASSWORD, { traceparent: `00-${'1'.repeat(32)}-${PARENT}-00` });
    assert.equal((await logIn(url, 'a wrong password of the traces')).status, 401);
    await hooked(1);
    assert.equal(await service.stop(), 0);

    const all = spans();
    const request = all.find(({ traceId, kind }) => traceId === TRACE && kind === 2)!;
    assert.deepEqual([request.name, request.parentSpanId], ['POST /v3/auth/tokens', PARENT]);
    assert.deepEqual(
      ['http.request.method', 'http.route', 'http.response.status_code', 'gatehouse.service'].map((key) =>
        attribute(request, key),
      ),
      ['POST', '/v3/auth/tokens', '201', 'identity'],
    );
    assert.ok(BigInt(request.endTimeUnixNano) > BigInt(request.startTimeUnixNano));
    const inTrace = all.filter(({ traceId }) => traceId === TRACE);
    const ids = new Set([PARENT, ...inTrace.map(({ spanId }) => spanId)]);
    assert.ok(inTrace.every(({ parentSpanId }) => ids.has(parentSpanId!)));
    assert.ok(inTrace.some(({ name }) => name === 'password.verify'));
    const statement = inTrace.find((span) => String(attribute(span, 'db.query.text')).includes('from "passwords"'))!;
    assert.deepEqual([attribute(statement, 'db.system.name'), statement.kind], ['sqlite', 3]);
    assert.ok(!all.some(({ traceId }) => traceId === '1'.repeat(32)));
    const call = all.find((span) => attribute(span, 'gatehouse.kind') === 'web-hook')!;
    assert.deepEqual([call.name, call.kind, attribute(call, 'server.address')], ['POST', 3, '127.0.0.1']);
    assert.equal(hooks[0]!.traceparent, `00-${call.traceId}-${call.spanId}-01`);
    assert.ok(!all.some((span) => attribute(span, 'gatehouse.kind') === 'traces'), 'sending spans makes no spans');

    assert.equal(seen[0]!['api-key'], 'a key');
    const resource = JSON.parse(bodies[0]!).resourceSpans[0].resource.attributes as Span['attributes'];
    assert.deepEqual(
      resource.map(({ key }) => key),
      ['service.name', 'service.version', 'deployment.environment'],
    );
    const text = bodies.join('\n');
    for (const secret of [PASSWORD, 'a wrong password', token, 'a secret of the traces', 'somebody', '/hook'])
      assert.ok(!text.includes(secret), secret);
    const bound = all.flatMap((span) => String(attribute(span, 'db.query.text') ?? ''));
    assert.ok(!bound.some((one) => /[0-9a-f]{32}/.test(one)), 'no values in statements');
  });

  it('are off by default: nothing is sent, and calls carry no header', async () => {
    const [before, hooksBefore] = [bodies.length, hooks.length];
    const service = run(['identity'], await settings());
    const url = await service.listening();
    await logIn(url, PASSWORD, { traceparent: `00-${TRACE}-${PARENT}-01` });
    await logIn(url, 'wrong', { traceparent: `00-${TRACE}-${PARENT}-01` });
    await hooked(hooksBefore + 1);
    assert.equal(await service.stop(), 0);
    assert.equal(bodies.length, before);
    assert.equal(hooks.at(-1)!.traceparent, undefined);
  });

  it('are configured by the standard settings, which are checked', () => {
    const { url, sampler } = tracingSettingsOf(
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
      '1',
    );
    assert.deepEqual([url, sampler], ['http://localhost:4318/v1/traces', { ratio: 0.1, followsParent: true }]);
    assert.throws(() => tracingSettingsOf({ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, '1'), /OTEL_TRACES_SAMPLER: must be one of/);
    assert.throws(() => tracingSettingsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, '1'), /only http\/json/);
    assert.throws(
      () => tracingSettingsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'a-secret' }, '1'),
      (error: Error) => !error.message.includes('a-secret'),
    );
  });
});
