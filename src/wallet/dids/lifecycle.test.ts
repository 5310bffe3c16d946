// Publishing, withdrawing, deleting and finding DIDs, and the effects of key changes, on both databases.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';
const UNKNOWN = 'did_01KA2Z9Q1V8YB3T5M7N9P1R3S5';

onEachWallet('The life of DIDs', (wallet) => {
  const show = async (person: WalletUser, id: string): Promise<any> => (await person.get(`${DIDS}/${id}`)).body;
  const served = (did: { documentUrl: string }) => wallet.get(did.documentUrl.slice(wallet.url.length));

  async function act(person: WalletUser, id: string, action: 'publish' | 'unpublish'): Promise<any> {
    const answer = await person.post(`${DIDS}/${id}/${action}`);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await show(person, id), answer.body);
    return answer.body;
  }

  async function published(person: WalletUser, body = {}): Promise<any> {
    return act(person, (await person.make('dids', body)).id, 'publish');
  }

  describe('publishing', () => {
    it('goes from draft to published, unpublished, and published again', async () => {
      const person = await wallet.logIn();
      const draft = await person.make('dids');
      assert.equal((await served(draft)).status, 404);

      const first = await act(person, draft.id, 'publish');
      assert.equal(first.state, 'published');
      assert.ok(first.publishedAt);
      assert.equal(first.unpublishedAt, undefined);
      assert.deepEqual(first.document, draft.document);
      assert.deepEqual((await served(draft)).body, first.document);

      wallet.clock.advance(10);
      const withdrawn = await act(person, draft.id, 'unpublish');
      assert.equal(withdrawn.state, 'unpublished');
      assert.equal(withdrawn.publishedAt, first.publishedAt);
      assert.ok(Date.parse(withdrawn.unpublishedAt) >= Date.parse(first.publishedAt) + 10_000);
      assert.equal((await served(draft)).status, 404);

      wallet.clock.advance(10);
      const again = await act(person, draft.id, 'publish');
      assert.equal(again.state, 'published');
      assert.equal(again.unpublishedAt, undefined);
      assert.ok(Date.parse(again.publishedAt) >= Date.parse(withdrawn.unpublishedAt) + 10_000);
      assert.deepEqual((await served(draft)).body, draft.document);
    });

    it('changes nothing when it is repeated', async () => {
      const person = await wallet.logIn();
      const did = await published(person);
      wallet.clock.advance(10);
      assert.deepEqual(await act(person, did.id, 'publish'), did);
      assert.equal(did.versionId, 1);
      const answer = await person.post(`${DIDS}/${did.id}/publish`, {});
      assert.equal(answer.status, 200, 'an empty object is no more than no body');
    });

    it('takes the DID itself in the place of its id', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      const path = `${DIDS}/${encodeURIComponent(did.did)}`;
      assert.equal((await person.post(`${path}/publish`)).body.state, 'published');
      assert.equal((await person.post(`${path}/unpublish`)).body.state, 'unpublished');
      assert.equal((await person.delete(path)).status, 204);
      assertProblem(await person.get(path), 404, 'not-found');
    });

    it('is refused without an active key', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      const [{ keyId }] = did.keys;
      await person.post(`${KEYS}/${keyId}/revoke`, {});
      assertProblem(await person.post(`${DIDS}/${did.id}/publish`), 409, 'no-active-key');
      assert.equal((await show(person, did.id)).state, 'draft');
      assert.equal((await served(did)).status, 404);
    });

    it('is refused for a did:key and a did:jwk', async () => {
      const person = await wallet.logIn();
      for (const method of ['key', 'jwk']) {
        const did = await person.make('dids', { method });
        for (const action of ['publish', 'unpublish'])
          assertProblem(await person.post(`${DIDS}/${did.id}/${action}`), 422, 'not-publishable');
        assert.equal((await show(person, did.id)).state, 'published');
      }
    });
  });

  describe('withdrawing', () => {
    it('is refused for a draft, and changes nothing when it is repeated', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      assertProblem(await person.post(`${DIDS}/${did.id}/unpublish`), 409, 'not-published');
      await act(person, did.id, 'publish');
      const withdrawn = await act(person, did.id, 'unpublish');
      wallet.clock.advance(10);
      assert.deepEqual(await act(person, did.id, 'unpublish'), withdrawn);
    });
  });

  describe('deleting', () => {
    it('takes a draft or an unpublished one, and leaves its keys', async () => {
      const person = await wallet.logIn();
      const draft = await person.make('dids');
      assert.equal((await person.delete(`${DIDS}/${draft.id}`)).status, 204);
      assertProblem(await person.get(`${DIDS}/${draft.id}`), 404, 'not-found');
      const did = await published(person);
      await act(person, did.id, 'unpublish');
      const gone = await person.delete(`${DIDS}/${did.id}`);
      assert.deepEqual([gone.status, gone.text], [204, '']);
      assertProblem(await person.delete(`${DIDS}/${did.id}`), 404, 'not-found');
      assert.deepEqual((await person.get(DIDS)).body, []);
      const keys = (await person.get(KEYS)).body;
      assert.deepEqual(
        keys.map(({ dids, state }: any) => [dids, state]),
        [
          [[], 'active'],
          [[], 'active'],
        ],
      );
    });

    it('refuses one that is published, whatever is said', async () => {
      const person = await wallet.logIn();
      const did = await published(person);
      for (const query of ['', '?force=true'])
        assertProblem(await person.delete(`${DIDS}/${did.id}${query}`), 409, 'did-published');
      assert.equal((await served(did)).status, 200);
      assertProblem(await person.delete(`${DIDS}/${did.id}?force=yes`), 400, 'invalid-request');
    });

    it('takes a did:key and a did:jwk, which cannot be withdrawn', async () => {
      const person = await wallet.logIn();
      for (const method of ['key', 'jwk']) {
        const { id } = await person.make('dids', { method });
        assert.equal((await person.delete(`${DIDS}/${id}`)).status, 204);
      }
    });
  });

  describe('finding', () => {
    it('filters by state and method', async () => {
      const person = await wallet.logIn();
      const draft = await person.make('dids');
      const open = await published(person);
      const closed = await act(person, (await published(person)).id, 'unpublish');
      const key = await person.make('dids', { method: 'key' });
      const jwk = await person.make('dids', { method: 'jwk' });
      const found = async (query: string) => {
        const answer = await person.get(DIDS + query);
        assert.equal(answer.status, 200, answer.text);
        return answer.body.map(({ id }: any) => id).sort();
      };
      const ids = (...dids: any[]) => dids.map(({ id }) => id).sort();
      assert.deepEqual(await found(''), ids(draft, open, closed, key, jwk));
      assert.deepEqual(await found('?state=draft'), ids(draft));
      assert.deepEqual(await found('?state=published'), ids(open, key, jwk));
      assert.deepEqual(await found('?state=unpublished'), ids(closed));
      assert.deepEqual(await found('?method=web'), ids(draft, open, closed));
      assert.deepEqual(await found('?method=jwk&state=published'), ids(jwk));
      assert.deepEqual(await found('?method=jwk&state=draft'), []);
      for (const query of ['?state=deleted', '?method=ebsi', '?surprise=1', '?state=draft&state=published'])
        assertProblem(await person.get(DIDS + query), 400, 'invalid-request');
    });

    it('gives pages that together are the list', async () => {
      const person = await wallet.logIn();
      const { id: keyId } = await person.make('keys');
      for (let made = 0; made < 5; made++) await person.make('dids', { keyIds: [keyId] });
      const all = (await person.get(DIDS)).body;
      const seen: any[] = [];
      const sizes: number[] = [];
      for (let next: string | undefined = `${DIDS}?limit=2&state=draft`; next; ) {
        const page = await person.get(next);
        assert.equal(page.status, 200, page.text);
        seen.push(...page.body);
        sizes.push(page.body.length);
        const [, url] = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
        if (url) assert.ok(url.startsWith(wallet.url) && url.includes('state=draft'), url);
        next = url?.slice(wallet.url.length);
      }
      assert.deepEqual(sizes, [2, 2, 1]);
      assert.deepEqual(seen, all);
      assert.equal((await person.get(`${DIDS}?limit=5`)).headers.get('link'), null);
      for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=', 'cursor=x', "cursor='--"])
        assertProblem(await person.get(`${DIDS}?${query}`), 400, 'invalid-request');
    });

    it('shows one by its id and by the DID, encoded for an address', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      assert.deepEqual(await show(person, did.id), did);
      assert.ok(did.did.includes('%3A'));
      assert.deepEqual(await show(person, encodeURIComponent(did.did)), did);
      for (const id of [UNKNOWN, 'did%3Aweb%3Aexample.org', 'x', '%00', "'"])
        assert.ok([400, 404].includes((await person.get(`${DIDS}/${id}`)).status), id);
    });

    it('sees every change at once, although lists are answered from memory', async () => {
      const person = await wallet.logIn();
      const listed = async () => (await person.get(DIDS)).body.map(({ state, versionId }: any) => [state, versionId]);
      const did = await person.make('dids');
      assert.deepEqual(await listed(), [['draft', 1]]);
      await act(person, did.id, 'publish');
      assert.deepEqual(await listed(), [['published', 1]]);
      await person.post(`${KEYS}/${did.keys[0].keyId}/rotate`, {});
      assert.deepEqual(await listed(), [['published', 2]]);
      await act(person, did.id, 'unpublish');
      assert.deepEqual(await listed(), [['unpublished', 2]]);
      await person.delete(`${DIDS}/${did.id}`);
      assert.deepEqual(await listed(), []);
    });
  });

  describe('its keys', () => {
    const idsOf = (document: any) => (document.verificationMethod ?? []).map(({ id }: any) => id);

    it('shows both keys after a rotation, and one when the grace period is over', async () => {
      const person = await wallet.logIn();
      const did = await published(person);
      const [old] = did.keys;
      const rotation = await person.post(`${KEYS}/${old.keyId}/rotate`, { gracePeriod: 'PT20M' });
      const after = await show(person, did.id);
      const both = [old.verificationMethod, `${did.did}#${rotation.body.kid}`];
      assert.equal(after.versionId, 2);
      assert.deepEqual(
        after.keys.map(({ keyId, state }: any) => [keyId, state]),
        [
          [old.keyId, 'rotated'],
          [rotation.body.id, 'active'],
        ],
      );
      assert.deepEqual(idsOf(after.document), both);
      assert.deepEqual(after.document.assertionMethod, both);
      assert.deepEqual(after.document.authentication, both);
      assert.deepEqual((await served(did)).body, after.document);

      wallet.clock.advance(600);
      await wallet.service.sweep();
      assert.deepEqual((await served(did)).body, after.document, 'its time is not over');
      wallet.clock.advance(601);
      assert.ok((await wallet.service.sweep()).retired! >= 1);
      const later = await show(person, did.id);
      assert.equal(later.versionId, 3);
      assert.deepEqual(idsOf(later.document), both.slice(1));
      assert.deepEqual((await served(did)).body, later.document);
      assert.deepEqual((await wallet.service.sweep()).retired, 0, 'once is enough');
      assert.equal((await show(person, did.id)).versionId, 3);
    });

    it('leaves a did:key as it is when the grace period of its key ends: it says what it always said', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      const web = await published(person, { keyIds: [key.id] });
      const self = await person.make('dids', { method: 'key', keyIds: [key.id] });
      await person.post(`${KEYS}/${key.id}/rotate`, { gracePeriod: 'PT20M' });
      wallet.clock.advance(1201);
      await wallet.service.sweep();
      assert.equal(idsOf((await served(web)).body).length, 1);
      const after = await show(person, self.id);
      assert.deepEqual([after.state, after.document], ['published', self.document]);
      assert.deepEqual(
        after.keys.map(({ keyId, state }: any) => [keyId, state]),
        [[key.id, 'rotated']],
      );
    });

    it('ends a did:key and a did:jwk when their key is revoked', async () => {
      const person = await wallet.logIn();
      const key = await person.make('keys');
      for (const method of ['key', 'jwk']) await person.make('dids', { method, keyIds: [key.id] });
      const revoked = await person.post(`${KEYS}/${key.id}/revoke`, {});
      assert.deepEqual([revoked.status, revoked.body.republishedDids], [200, []]);
      for (const did of (await person.get(DIDS)).body) {
        assert.equal(did.state, 'unpublished');
        assert.ok(did.unpublishedAt);
      }
    });

    it('has the successor alone when a key is revoked with one', async () => {
      const person = await wallet.logIn();
      const did = await published(person);
      const [old] = did.keys;
      assertProblem(await person.post(`${KEYS}/${old.keyId}/revoke`, {}), 409, 'last-key-of-published-did');
      assert.deepEqual(await show(person, did.id), did);
      const revoked = await person.post(`${KEYS}/${old.keyId}/revoke`, { successor: {} });
      assert.deepEqual(revoked.body.republishedDids, [did.did]);
      const after = await show(person, did.id);
      assert.equal(after.keys.length, 1);
      assert.deepEqual(idsOf(after.document), [`${did.did}#${after.keys[0].kid}`]);
      assert.notEqual(after.keys[0].kid, old.kid);
      assert.ok(after.versionId > did.versionId);
      assert.deepEqual((await served(did)).body, after.document);
    });

    it('may be left without a key by force; then its document has none', async () => {
      const person = await wallet.logIn();
      const did = await published(person, { alsoKnownAs: ['https://example.org'] });
      const revoked = await person.post(`${KEYS}/${did.keys[0].keyId}/revoke?force=true`, {});
      assert.equal(revoked.status, 200, revoked.text);
      const { '@context': _, ...rest } = (await served(did)).body;
      assert.deepEqual(rest, { id: did.did, alsoKnownAs: ['https://example.org'] });
      assertProblem(await person.post(`${DIDS}/${did.id}/publish`), 409, 'no-active-key');
    });

    it('counts versions of a draft too, and shows nothing of it to the world', async () => {
      const person = await wallet.logIn();
      const did = await person.make('dids');
      await person.post(`${KEYS}/${did.keys[0].keyId}/rotate`, {});
      assert.equal((await show(person, did.id)).versionId, 2);
      assert.equal((await served(did)).status, 404);
    });
  });

  describe('an Idempotency-Key', () => {
    const headers = { 'Idempotency-Key': 'once' };

    it('makes one DID of a request that is repeated, in whatever order its members are', async () => {
      const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
      const first = await person.post(DIDS, { alias: 'one', method: 'web' }, { headers });
      const second = await person.post(DIDS, { method: 'web', alias: 'one' }, { headers });
      assert.deepEqual([first.status, second.status], [201, 201]);
      assert.deepEqual(second.body, first.body);
      assert.equal(second.headers.get('location'), first.headers.get('location'));
      assert.equal((await person.get(DIDS)).body.length, 1);
      assert.equal((await person.get(KEYS)).body.length, 1);
      const others = await stranger.post(DIDS, { alias: 'one', method: 'web' }, { headers });
      assert.notEqual(others.body.id, first.body.id);
    });

    it('makes one of requests that come together', async () => {
      const person = await wallet.logIn();
      const answers = await Promise.all([1, 2, 3, 4].map(() => person.post(DIDS, {}, { headers })));
      assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body.id}`))].length, 1);
      assert.equal((await person.get(DIDS)).body.length, 1);
      assert.equal((await person.get(KEYS)).body.length, 1);
    });

    it('is refused with another request, and after what it made is gone', async () => {
      const person = await wallet.logIn();
      const { body } = await person.post(DIDS, {}, { headers });
      assertProblem(await person.post(DIDS, { alias: 'other' }, { headers }), 409, 'idempotency-key-reused');
      await person.delete(`${DIDS}/${body.id}`);
      assertProblem(await person.post(DIDS, {}, { headers }), 409, 'idempotent-result-gone');
      assertProblem(await person.post(DIDS, {}, { headers: { 'Idempotency-Key': 'a b' } }), 400, 'invalid-request');
    });

    it('is free again when the request was refused', async () => {
      const person = await wallet.logIn();
      assertProblem(await person.post(DIDS, { keyIds: ['key_0'] }, { headers }), 422, 'key-not-active');
      assert.equal((await person.post(DIDS, {}, { headers })).status, 201);
    });
  });

  it('asks for a session, and shows nobody what is not theirs', async () => {
    const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
    const did = await person.make('dids');
    for (const id of [did.id, encodeURIComponent(did.did)]) {
      const routes = [
        ['GET', `${DIDS}/${id}`],
        ['POST', `${DIDS}/${id}/publish`],
        ['POST', `${DIDS}/${id}/unpublish`],
        ['DELETE', `${DIDS}/${id}`],
        ['DELETE', `${DIDS}/${id}?force=true`],
      ] as const;
      for (const [method, path] of routes) {
        assertProblem(await wallet.request(method, path), 401, 'not-authenticated');
        assertProblem(await stranger.request(method, path), 404, 'not-found');
      }
    }
    for (const method of ['GET', 'POST']) {
      const answer = await wallet.request(method, DIDS);
      assertProblem(answer, 401, 'not-authenticated');
      assert.ok(answer.headers.get('www-authenticate'));
    }
    assert.deepEqual((await stranger.get(DIDS)).body, []);
    assert.deepEqual((await person.get(DIDS)).body, [did]);
  });
});
