// That the metrics of the document are those that are served.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet } from '../../test/support/wallet.ts';
import { requestTimes } from '../platform/metrics/index.ts';
import { walletMetrics } from './metrics.ts';

onEachWallet('The metrics of the wallet node', (wallet) => {
  it('are those of the document; a login, the jobs and the key of the node are among them', async () => {
    await wallet.logIn('anna');
    const served = (await wallet.service.metrics.registry.getMetricsAsJSON()).filter(
      ({ name }) => !/^(process|nodejs)_/.test(name),
    );
    // Without files of trust anchors there is no metric of them.
    const documented = [...Object.values(walletMetrics), requestTimes].filter((one) => one !== walletMetrics.anchors);
    assert.deepEqual(served.map(({ name }) => name).sort(), documented.map(({ name }) => name).sort());
    const text = await wallet.service.metrics.registry.metrics();
    assert.match(text, /^wallet_logins_total\{outcome="good"\} 1$/m);
    assert.match(text, /^wallet_node_key_age_seconds \d+$/m);
    assert.match(text, /^wallet_sweep_lag_seconds\{task="maintenance"\} [\d.]+$/m);
    assert.match(text, /^wallet_sweep_lag_seconds\{task="exchanges"\} [\d.]+$/m);
    assert.match(text, /^wallet_feed_live 1$/m);
    assert.doesNotMatch(text, /anna/);
  });
});
