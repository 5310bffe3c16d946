// A client that resets its connection while the OpenID provider works for it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { usesProcesses } from '../../../../test/support/process.ts';
import { RawConnection } from '../../../../test/support/raw.ts';

describe('A client that resets its connection', () => {
  const { newFolder, run } = usesProcesses();

  it('cannot make the OpenID provider write anything but structured lines', async () => {
    const service = run(['identity'], { GATEHOUSE_DATA_DIR: await newFolder() });
    const url = await service.listening();
    const post =
      'POST /openid/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\n';
    for (const request of [
      post,
      `${post}grant_type=client_credentials&client_id=`,
      'GET /openid/authorize?client_id=x HTTP/1.1\r\nHost: x\r\n\r\n',
    ])
      for (let i = 0; i < 5; i++) {
        const connection = await RawConnection.open(url);
        connection.send(request);
        await delay(20 * i);
        connection.socket.resetAndDestroy();
      }
    // Answered after all of them.
    const answer = await fetch(`${url}/openid/jwks`);
    assert.equal(answer.status, 200, `${await answer.text()}\n${service.stdout}\n${service.stderr}`);
    await service.stop();
    assert.doesNotMatch(service.stderr, /Error|^\s+at /m);
    for (const line of service.stdout.split('\n').filter((one) => one !== '' && !one.startsWith('Gatehouse')))
      assert.ok(line.startsWith('{'), line);
  });
});
