// Which credential answers a query and which claims are shown, through HTTP; and which credentials are not shown.
import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { SignJWT } from 'jose';
import {
  disclosureOf,
  IDENTITY,
  MEMBERSHIP,
  paths,
  queryFor,
  setUpPresentation,
  VP,
} from '../../../test/support/presentation.ts';
import type { CredentialDraft } from '../../../test/support/toy-credential.ts';
import type { VerifiedPresentation } from '../../../test/support/toy-verifier.ts';
import { onUsualWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import type { ClaimPath } from './claims.ts';

const CREDENTIALS = '/api/v1/wallet/credentials';
const identity = (more: object) => ({ credentials: [queryFor('id', IDENTITY, more)] });
const disclosed = (answer: Record<string, VerifiedPresentation[]>): string[] => answer.id![0]!.disclosed.map(String).sort();

onUsualWallet('Choosing what is shown', (wallet) => {
  const world = setUpPresentation(wallet);
  const { verifier, issuer } = world;

  const answeredWith = async (person: WalletUser, query?: unknown): Promise<string> => {
    const answer = await world.present(person, query ? { query } : {});
    assert.equal(answer.status, 200, answer.text);
    return answer.body.presented[0].credentialId;
  };
  const refused = async (person: WalletUser, query?: unknown): Promise<void> => {
    assertProblem(await world.present(person, query ? { query } : {}), 422, 'no-matching-credential');
    assert.deepEqual(verifier.tokens, []);
  };

  describe('claims', () => {
    const street = disclosureOf('street', 'St James Square');
    const city = disclosureOf('city', 'London');
    const address = disclosureOf('address', { _sd: [street.digest, city.digest], country: 'GB' });
    const [british, french] = [disclosureOf('GB'), disclosureOf('FR')];
    const [one, two] = [disclosureOf('type', 'Bachelor'), disclosureOf('type', 'Master')];
    /** With claims below claims, and lists whose elements can be held back one by one. */
    const nested = () =>
      world.holder({
        draft({ payload, disclosures }) {
          for (const name of Object.keys(disclosures)) delete disclosures[name];
          disclosures.email = 'ada@example.org';
          payload.home = { _sd: [address.digest] };
          payload.nationalities = [{ '...': british.digest }, { '...': french.digest }];
          payload.degrees = [{ _sd: [one.digest] }, { _sd: [two.digest] }];
        },
        text: (text) => `${text}${[street, city, address, british, french, one, two].map((part) => part.text).join('~')}~`,
      });

    const cases: [string, object, string[]][] = [
      ['at the top', { claims: paths(['email']) }, ['email']],
      ['below others, with what they stand in', { claims: paths(['home', 'address', 'city']) }, ['address', 'city']],
      ['with everything below them', { claims: paths(['home', 'address']) }, ['address', 'city', 'street']],
      ['that stand in the open, with nothing else', { claims: paths(['home', 'address', 'country']) }, ['address']],
      ['by their place in a list', { claims: paths(['nationalities', 1]) }, ['FR']],
      ['in every place of a list', { claims: paths(['nationalities', null]) }, ['FR', 'GB']],
      ['below a list', { claims: paths(['degrees', 0, 'type']) }, ['type']],
      [
        'with one of the values',
        { claims: [{ path: ['home', 'address', 'city'], values: ['Paris', 'London'] }] },
        ['address', 'city'],
      ],
      ['in a list, only those with the value', { claims: [{ path: ['nationalities', null], values: ['FR'] }] }, ['FR']],
      [
        'below a list, only those with the value',
        { claims: [{ path: ['degrees', null, 'type'], values: ['Master'] }] },
        ['type'],
      ],
      [
        'of the first set that can be had',
        {
          claims: [
            { id: 'a', path: ['phone'] },
            { id: 'b', path: ['email'] },
            { id: 'c', path: ['nationalities', 0] },
            { id: 'd', path: ['home', 'address', 'city'] },
          ],
          claim_sets: [['a', 'b'], ['b', 'c'], ['d']],
        },
        ['GB', 'email'],
      ],
    ];
    for (const [what, query, expected] of cases)
      it(`are shown ${what}`, async () => {
        const { person } = await nested();
        const answer = await world.presentAndRead(person, { query: identity(query) });
        assert.deepEqual(disclosed(answer), expected);
        if (what.endsWith('only those with the value')) assert.ok(!Object.values(answer.id![0]!.claims).includes('Bachelor'));
      });

    const work = disclosureOf('work', { city: 'London', street: 'Piccadilly' });
    const [first, third, decoy] = [disclosureOf('first'), disclosureOf('third'), disclosureOf('decoy')];
    /** With claims that are always disclosed, some of them between others. */
    const partlyOpen = () =>
      world.holder({
        draft({ payload, disclosures }) {
          for (const name of Object.keys(disclosures)) delete disclosures[name];
          disclosures.email = 'ada@example.org';
          payload.home = { _sd: [address.digest] };
          payload.nationalities = [{ '...': british.digest }, { '...': french.digest }];
          payload.jobs = { _sd: [work.digest] };
          payload.member = { since: 1815, level: ['gold', 'silver'] };
          payload.mixed = [{ '...': decoy.digest }, { '...': first.digest }, 'second', { '...': third.digest }];
        },
        text: (text) =>
          `${text}${[street, city, address, british, french, work, first, third].map((part) => part.text).join('~')}~`,
      });
    const open: ClaimPath[] = [['member'], ['mixed', 1]];
    const told: [string, object, ClaimPath[]][] = [
      ['the open ones, when nothing is asked for', {}, open],
      ['those asked for, and the open ones', { claims: paths(['email']) }, [['email'], ...open]],
      ['open ones once', { claims: paths(['member', 'since']) }, open],
      ['open ones that are asked for', { claims: paths(['mixed', 1], ['member']) }, [['mixed', 1], ['member']]],
      ['technical ones only when they are asked for', { claims: paths(['iss'], ['vct']) }, [['iss'], ['vct'], ...open]],
      [
        'what comes with what they stand in',
        { claims: paths(['home', 'address', 'city']) },
        [['home', 'address', 'city'], ['home', 'address', 'country'], ...open],
      ],
      ['what is shown wholly with a part of it', { claims: paths(['jobs', 'work', 'city']) }, [['jobs'], ...open]],
      ['elements of lists', { claims: paths(['nationalities', 1]) }, [['nationalities', 1], ...open]],
      ['all elements as they were asked for', { claims: paths(['nationalities', null]) }, [['nationalities', null], ...open]],
      ['elements among open ones and decoys', { claims: paths(['mixed', 2]) }, [['mixed', 2], ...open]],
    ];
    for (const [what, query, expected] of told)
      it(`are told as what the verifier learns: ${what}`, async () => {
        const { person } = await partlyOpen();
        const { exchangeId, query: asked } = (await world.present(person, { query: identity(query) }, { preview: true })).body;
        assert.deepEqual(asked[0].matches[0].disclosed, expected);
        const { presented } = (await person.post(VP, { exchangeId })).body;
        assert.deepEqual(presented[0].disclosed, expected);
      });

    for (const [what, query] of [
      ['is not there', { claims: paths(['phone']) }],
      ['has another value', { claims: [{ path: ['email'], values: ['bob@example.org'] }] }],
      ['has the value in another type', { claims: [{ path: ['email'], values: [7] }] }],
      ['is beyond the end of a list', { claims: paths(['nationalities', 2]) }],
      ['is no list', { claims: paths(['email', null]) }],
      [
        'is in no set that can be had',
        {
          claims: [
            { id: 'a', path: ['phone'] },
            { id: 'b', path: ['email'] },
          ],
          claim_sets: [['a', 'b']],
        },
      ],
    ] as const)
      it(`are missing when one ${what}: then nothing is shown`, async () => {
        const { person } = await nested();
        await refused(person, identity(query));
      });
  });

  describe('credentials', () => {
    it('of any of the named types match', async () => {
      const { person, credential } = await world.holder();
      const query = identity({ meta: { vct_values: ['https://example.org/passport', IDENTITY] } });
      assert.equal(await answeredWith(person, query), credential.id);
    });

    it('match the format name of drafts', async () => {
      const { person, credential } = await world.holder();
      assert.equal(await answeredWith(person, identity({ format: 'vc+sd-jwt' })), credential.id);
    });

    it('are shown one for each query, the newest, also where several may be shown', async () => {
      const { person } = await world.holder();
      const newest = await world.receive(person);
      const { id, all } = await world.presentAndRead(person, {
        query: { credentials: [queryFor('id', IDENTITY), queryFor('all', IDENTITY, { multiple: true })] },
      });
      assert.deepEqual([id!.length, all!.length], [1, 1]);
      assert.deepEqual(id![0]!.payload.cnf, all![0]!.payload.cnf);
      assert.equal(await answeredWith(person), newest.id);
    });

    it('are shown together where several may be shown and were chosen', async () => {
      const { person, credential } = await world.holder();
      const newest = await world.receive(person);
      await world.receive(person);
      const query = identity({ multiple: true });
      for (const body of [{ selection: { id: [credential.id, newest.id] } }, { credentialIds: [credential.id, newest.id] }]) {
        const { presented } = (await world.present(person, { query }, body)).body;
        const shown = presented.map(({ credentialId }: { credentialId: string }) => credentialId);
        assert.deepEqual(shown, [newest.id, credential.id]);
      }
    });

    it('that nobody is bound to answer only those who do without a binding', async () => {
      const { person } = await world.holder({ configuration: 'ticket' });
      const ticket = queryFor('id', 'https://example.org/ticket');
      await refused(person, { credentials: [ticket] });
      await answeredWith(person, { credentials: [{ ...ticket, require_cryptographic_holder_binding: false }] });
    });

    it('are shown by sets: the first option that can be had, and optional sets only when chosen', async () => {
      const { person } = await world.holder();
      const club = await world.receive(person, { configuration: 'membership' });
      const query = {
        credentials: [
          queryFor('passport', 'https://example.org/passport'),
          queryFor('id', IDENTITY),
          queryFor('club', MEMBERSHIP),
        ],
        credential_sets: [{ options: [['passport'], ['id'], ['club']] }, { required: false, options: [['club']] }],
      };
      assert.deepEqual(Object.keys(await world.presentAndRead(person, { query })), ['id']);
      const both = await world.presentAndRead(person, { query }, { selection: { club: [club.id] } });
      assert.deepEqual(Object.keys(both), ['club']);
    });

    it('are shown for an optional set beside the required ones when it is chosen', async () => {
      const { person, credential } = await world.holder();
      const club = await world.receive(person, { configuration: 'membership' });
      const query = {
        credentials: [queryFor('id', IDENTITY), queryFor('club', MEMBERSHIP)],
        credential_sets: [{ options: [['id']] }, { required: false, options: [['club']] }],
      };
      const answer = await world.presentAndRead(person, { query }, { selection: { id: [credential.id], club: [club.id] } });
      assert.deepEqual(Object.keys(answer).sort(), ['club', 'id']);
    });

    it('are not shown at all when one required set cannot be had', async () => {
      const { person } = await world.holder();
      await refused(person, {
        credentials: [queryFor('id', IDENTITY), queryFor('club', MEMBERSHIP)],
        credential_sets: [{ options: [['id']] }, { options: [['club']] }],
      });
    });
  });

  let listKey: KeyObject;
  function listed(draft: CredentialDraft, idx: number): void {
    listKey = draft.key;
    draft.payload.status = { status_list: { idx, uri: `${issuer.url}/list` } };
  }
  /** The issuer's list, as it is from now on. */
  function serveList(bits: number): void {
    const lst = deflateSync(Buffer.of(bits)).toString('base64url');
    issuer.twist.raw = (endpoint, _, response) => {
      if (endpoint !== 'none') return false;
      void new SignJWT({ sub: `${issuer.url}/list`, ttl: 1, status_list: { bits: 1, lst } })
        .setProtectedHeader({ alg: 'ES256', typ: 'statuslist+jwt', kid: 'one' })
        .setIssuedAt()
        .sign(listKey)
        .then((jwt) => response.writeHead(200, { 'Content-Type': 'application/statuslist+jwt' }).end(jwt));
      return true;
    };
  }

  describe('a credential', () => {
    it('that has expired is passed over', async () => {
      const { person, credential } = await world.holder();
      await world.receive(person, {
        draft: ({ payload }) => void Object.assign(payload, { exp: Math.floor(wallet.clock.now() / 1000) + 5 }),
      });
      wallet.clock.advance(10);
      assert.equal(await answeredWith(person), credential.id);
    });

    it('whose key was revoked is not shown', async () => {
      const { person, credential } = await world.holder();
      const revoked = await person.post(`/api/v1/wallet/keys/${credential.holder.keyId}/revoke?force=true`, {});
      assert.equal(revoked.status, 200, revoked.text);
      await refused(person);
    });

    it('whose key was rotated is shown with the key it is bound to', async () => {
      const { person, credential } = await world.holder();
      const rotated = await person.post(`/api/v1/wallet/keys/${credential.holder.keyId}/rotate`, {});
      assert.equal(rotated.status, 200, rotated.text);
      assert.equal(await answeredWith(person), credential.id);
      await world.readToken(verifier.tokens[0]!);
    });

    it('that its issuer revoked is not shown, also when that was a moment ago', async () => {
      const { person } = await world.holder({ draft: (draft) => listed(draft, 3) });
      serveList(0);
      await answeredWith(person);
      verifier.reset();
      serveList(0b1000);
      wallet.clock.advance(600);
      await refused(person);
    });
  });

  describe('copies of a credential', () => {
    const copies = async (person: WalletUser): Promise<number> => (await person.get(CREDENTIALS)).body[0].instances;

    it('are shown once each while there are others; the last one stays', async () => {
      const { person } = await world.holder({ body: { count: 3 } });
      const keys: string[] = [];
      for (const left of [2, 1, 1, 1]) {
        const { id } = await world.presentAndRead(person);
        keys.push(id![0]!.payload.cnf.jwk.x);
        assert.equal(await copies(person), left);
      }
      assert.equal(new Set(keys).size, 3);
      assert.deepEqual(keys[3], keys[2]);
    });

    it('are not used up by a preview or a refusal, but by a verifier that saw one and did not take it', async () => {
      const { person } = await world.holder({ body: { count: 2 } });
      await world.present(person, {}, { preview: true });
      await world.present(person, {}, { action: 'reject' });
      assert.equal(await copies(person), 2);
      verifier.twist = { reply: { status: 500, body: '' } };
      assertProblem(await world.present(person), 502, 'verifier-refused');
      assert.equal(await copies(person), 1);
    });

    it('are used up one at a time, also when one credential answers two queries', async () => {
      const { person } = await world.holder({ body: { count: 3 } });
      const query = {
        credentials: [
          queryFor('name', IDENTITY, { claims: paths(['given_name']) }),
          queryFor('mail', IDENTITY, { claims: paths(['email']) }),
        ],
      };
      const { name, mail } = await world.presentAndRead(person, { query });
      assert.deepEqual([name![0]!.disclosed, mail![0]!.disclosed], [['given_name'], ['email']]);
      assert.equal(await copies(person), 2);
    });

    it('are withdrawn one by one', async () => {
      let idx = 2;
      const { person } = await world.holder({ body: { count: 2 }, draft: (draft) => listed(draft, ++idx) });
      serveList(0b10000);
      wallet.clock.advance(600);
      await world.presentAndRead(person);
      verifier.reset();
      await refused(person);
      assert.equal((await person.get(CREDENTIALS)).body[0].status, 'revoked');
    });

    it('have keys of their own: when one is revoked, another copy is shown', async () => {
      const { person, credential } = await world.holder({ body: { count: 2 } });
      await person.post(`/api/v1/wallet/keys/${credential.holder.keyId}/revoke?force=true`, {});
      assert.equal(await answeredWith(person), credential.id);
      await world.readToken(verifier.tokens[0]!);
    });
  });
});
