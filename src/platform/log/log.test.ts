import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog, readable } from './index.ts';

describe('The log', () => {
  it('redacts secrets', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    log.info(
      {
        password: 'p1',
        user: { password: 'p2' },
        headers: { 'x-auth-token': 'p3', cookie: 'p4' },
        token: 'p5',
        device: { device_token: 'p6' },
      },
      'said',
    );
    assert.equal(lines.length, 1);
    assert.doesNotMatch(lines[0]!, /p[1-6]/);
    assert.equal(JSON.parse(lines[0]!).msg, 'said');
  });

  it('names the service, and writes levels as words and times as people do', () => {
    const lines: string[] = [];
    createLog('debug', { write: (line) => void lines.push(line) }, 'wallet').warn({ count: 1 }, 'said');
    const { time, ...line } = JSON.parse(lines[0]!) as Record<string, unknown>;
    assert.deepEqual(line, { level: 'warn', service: 'wallet', count: 1, msg: 'said' });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('logs nothing below its level', () => {
    const lines: string[] = [];
    createLog('warn', { write: (line) => void lines.push(line) }).info('quiet');
    assert.deepEqual(lines, []);
  });
});

describe('The log of a terminal', () => {
  it('has no JSON between its lines', () => {
    const lines: string[] = [];
    const log = createLog(
      'info',
      readable((line) => void lines.push(line)),
    );
    log.info(
      { address: 'http://localhost:5000', tables: ['users', 'groups'], backup: { at: 120, to: { folder: 'b' } } },
      'starts',
    );
    log.error({ err: new TypeError('it broke', { cause: new Error('because') }), request_id: 'r-1' }, 'failed');
    assert.match(
      lines[0]!,
      /^[\d:.]{12} info {2}gatehouse starts address=http:\/\/localhost:5000 tables=users,groups backup\.at=120 backup\.to\.folder=b\n$/,
    );
    const [first, ...stack] = lines[1]!.trimEnd().split('\n');
    assert.match(first!, /^[\d:.]{12} error gatehouse failed err\.type=TypeError err\.message=it broke: because request_id=r-1$/);
    assert.ok(stack.length > 0 && stack.every((line) => /^ +at |^caused by/.test(line)), lines[1]);
    assert.ok(!/[{}"]/.test(lines.join('')), lines.join(''));
    log.warn({ agent: 'x\n12:00:00.000 info  gatehouse forged\u001b[2J', all: ['a\nb'] }, 'refused');
    assert.match(lines[2]!, / refused agent=x\\n12:00:00\.000 info {2}gatehouse forged\\u001b\[2J all=a\\nb\n$/);
  });
});
