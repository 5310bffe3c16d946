import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from './index.ts';

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
