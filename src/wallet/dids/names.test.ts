// The owner of a name in the address of a document, on both databases.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';

const DIDS = '/api/v1/wallet/dids';
const KEYS = '/api/v1/wallet/keys';

const create = (person: WalletUser, body: unknown) => person.post(DIDS, body);
const listed = async (person: WalletUser): Promise<any[]> => (await person.get(DIDS)).body;

let names = 0;
const newName = (): string => `name-${++names}`;

onEachWallet('A name of a document', (wallet) => {
  it('is refused while its DID exists, and may be taken again by the one who had it', async () => {
    const person = await wallet.logIn();
    const path = newName();
    const did = await person.make('dids', { path });
    assertProblem(await create(person, { path }), 409, 'did-exists');
    assert.equal((await person.delete(`${DIDS}/${did.id}`)).status, 204);
    const again = await person.make('dids', { path });
    assert.equal(again.did, did.did);
    assert.notEqual(again.id, did.id);
    assert.notEqual(again.keys[0].kid, did.keys[0].kid);
  });

  it('is never given to another, whether its DID is there, published, or gone', async () => {
    const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
    const path = newName();
    const did = await person.make('dids', { path });
    const refused = async () => assertProblem(await create(stranger, { path }), 409, 'did-exists');
    await refused();
    await person.post(`${DIDS}/${did.id}/publish`);
    await refused();
    await person.post(`${DIDS}/${did.id}/unpublish`);
    assert.equal((await person.delete(`${DIDS}/${did.id}`)).status, 204);
    await refused();
    assert.deepEqual(await listed(stranger), []);
    assert.deepEqual((await stranger.get(KEYS)).body, [], 'a DID that was refused leaves no key behind');
  });

  it('goes to one of two who ask at once', async () => {
    const people = await Promise.all([wallet.logIn(), wallet.logIn(), wallet.logIn()]);
    const path = newName();
    const answers = await Promise.all(people.map((person) => create(person, { path })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  it('stays free when the request is refused', async () => {
    const [person, stranger] = [await wallet.logIn(), await wallet.logIn()];
    const path = newName();
    assertProblem(await create(person, { path, keyIds: ['key_0'] }), 422, 'key-not-active');
    assertProblem(await create(person, { path, service: [{ type: 'a', serviceEndpoint: '' }] }), 400, 'invalid-request');
    await stranger.make('dids', { path });
  });

  it('has the document that was published last when the node got another address', async () => {
    const person = await wallet.logIn();
    const path = newName();
    const former = await person.make('dids', { path });
    await person.post(`${DIDS}/${former.id}/publish`);
    // Its port, and with it the address of the node, is another each time it starts.
    await wallet.service.stop(1000);
    await wallet.open();
    assert.equal((await wallet.get(`/dids/${path}/did.json`)).body.id, former.did, 'it may still be asked by its former name');

    const did = await person.make('dids', { path });
    assert.notEqual(did.did, former.did);
    const published = await person.post(`${DIDS}/${did.id}/publish`);
    assert.equal(published.status, 200, published.text);
    assert.equal((await wallet.get(`/dids/${path}/did.json`)).body.id, did.did);
    assert.equal((await person.get(`${DIDS}/${former.id}`)).body.state, 'unpublished');
    assert.equal((await person.get(`${DIDS}/${did.id}`)).body.state, 'published');
  });
});
