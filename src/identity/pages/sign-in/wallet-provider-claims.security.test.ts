// Attacks with what a credential of another issuer says: the issuer of somebody else, a list of which a part is held back, names that databases
// do not keep apart.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { certify } from '../../../../test/support/certificates.ts';
import { makeCredentialHolder } from '../../../../test/support/credential-holders.ts';
import {
  CredentialIssuer,
  connectIssuer,
  type IssueOptions,
  type TestCredential,
} from '../../../../test/support/credential-issuer.ts';
import { type HolderTwist, readWalletRequest } from '../../../../test/support/holder.ts';
import { makeRoleWorld } from '../../../../test/support/role-credentials.ts';
import { assertAnswerRefused, usesVisitors } from '../../../../test/support/wallet-visitor.ts';

const settings = { GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both' };

underAttack(
  'What a credential of another issuer says',
  (api) => {
    const { visitor } = usesVisitors(api);
    let issuer: CredentialIssuer;
    /** Trusted as well, and with more. */
    let other: CredentialIssuer;
    let group: { id: string };
    before(async () => {
      const start = () => new CredentialIssuer(() => api.clock.now()).start();
      [issuer, other] = await Promise.all([start(), start()]);
      group = await api.make('group', { name: uniqueName('officers') });
    });
    after(() => Promise.all([issuer.stop(), other.stop()]));

    const isInGroup = async (id: string): Promise<boolean> =>
      (await api.head(`/v3/groups/${group.id}/users/${id}`)).status === 204;

    async function arrive({ holder }: Pick<TestCredential, 'holder'>): Promise<string> {
      const visit = await visitor().ask();
      return (await visit.claims(await visit.presses(await visit.shows(holder), 'provider-new'))).sub;
    }

    const isRefused = (why: RegExp, issued: TestCredential, twist?: HolderTwist) =>
      assertAnswerRefused(api, visitor(), why, issued, twist);

    it('is heard once: no other wallet can answer for the same sign-in', async () => {
      const own = await connectIssuer(api, issuer);
      const visit = await visitor().ask();
      const requestOf = (link: string): string => new URL(link).searchParams.get('request_uri')!;
      const both = [requestOf(visit.link), requestOf(visit.code)];
      await visit.shows((await issuer.issue()).holder);
      for (const address of both) assert.equal((await fetch(address)).status, 404);
      assertOk(await api.delete(own.path), 204);
    });

    describe('of its issuer', () => {
      const connect = (attribute: string) => {
        const subject = ['credentialSubject', 'employee'];
        const credentials = [{ format: 'jwt_vc_json', types: [issuer.w3cType], subject }];
        const rules = [
          { local: [{ user: { name: '{0}' } }], remote: [{ type: 'credentialSubject.employee' }] },
          { local: [{ group: { id: group.id } }], remote: [{ type: attribute, any_one_of: [other.url] }] },
        ];
        const issuers = [issuer.url, other.url];
        return connectIssuer(api, issuer, { rules, settings: { credentials, issuers, requires_status: false } });
      };

      it('is the one that signed it', async () => {
        const own = await connect('issuer');
        const type = issuer.w3cType;
        assert.ok(await isInGroup(await arrive(await other.issueW3c({ type }))), 'named by the JWT');
        const vc = { issuer: { id: other.url, name: 'Other' } };
        assert.ok(await isInGroup(await arrive(await other.issueW3c({ type, vc }))), 'named with more');
        assertOk(await api.delete(own.path), 204);
      });

      const FORGED: Readonly<Record<string, readonly [string, () => unknown]>> = {
        'in a list': ['issuer', () => [other.url]],
        'in a list of ids': ['issuer.id', () => ({ id: [other.url] })],
        'beside the id': ['issuer.name', () => ({ id: issuer.url, name: other.url })],
      };
      for (const [name, [attribute, named]] of Object.entries(FORGED))
        it(`is not another one that it names ${name}`, async () => {
          const own = await connect(attribute);
          const issued = await issuer.issueW3c({ vc: { issuer: named() } });
          assert.equal(await isInGroup(await arrive(issued)), false);
          assertOk(await api.delete(own.path), 204);
        });
    });

    it('is nothing of others if it was issued here: it counts by our records of it, or not at all', async () => {
      const world = await makeRoleWorld(api);
      const { holder } = await makeCredentialHolder(api, world);
      const types = [`${api.url}/openid/credential-types/${world.typeId}`];
      const credentials = [{ format: 'dc+sd-jwt', types, subject: ['sub'] }];
      const rules = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] }];
      const own = await connectIssuer(api, issuer, { rules, settings: { credentials, issuers: [api.url] } });
      const visit = await visitor().ask();
      const { credentials: asked } = (await readWalletRequest(visit.link)).payload.dcql_query;
      const theirs = asked.find(({ id, meta }: any) => id !== 'own' && meta.vct_values?.includes(types[0])).id;
      const answer = (payload: Record<string, any>) =>
        void Object.assign(payload, { vp_token: { [theirs]: Object.values(payload.vp_token)[0] } });
      assert.equal((await holder.answer(visit.link, { answer })).status, 400);
      const last = api.logged.findLast((line) => line.includes('answer of a wallet refused'))!;
      assert.match(JSON.parse(last).reason, /issued here/);
      assertOk(await api.delete(own.path), 204);
    });

    describe('in a list', () => {
      const element = (value: string): string =>
        Buffer.from(JSON.stringify([randomBytes(12).toString('base64url'), value])).toString('base64url');
      const digest = (text: string) => ({ '...': createHash('sha256').update(text).digest('base64url') });

      /** Every element can be held back. */
      async function issueList(type: string, at: (list: unknown) => Record<string, unknown>) {
        const [member, suspended] = [element('member'), element('suspended')];
        const list = [digest(member), digest(suspended)];
        const issued = await issuer.issue({ type, twist: ({ payload }) => void Object.assign(payload, at(list)) });
        issued.holder.raw += `${member}~${suspended}~`;
        return { issued, disclosed: (text: string) => text.replace(`${suspended}~`, '') };
      }

      const PLACES: Readonly<
        Record<string, readonly [readonly (string | null)[], string, (list: unknown) => Record<string, unknown>]>
      > = {
        'whose elements are asked for': [['state', null], 'state', (list) => ({ state: list })],
        'that is asked for': [['state'], 'state', (list) => ({ state: list })],
        'in what is asked for': [['standing'], 'standing.state', (list) => ({ standing: { state: list } })],
      };
      for (const [name, [path, attribute, at]] of Object.entries(PLACES))
        it(`${name} is shown whole`, async () => {
          const type = uniqueName('https://lists.example');
          const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [path] }];
          const rules = [
            { local: [{ user: { name: '{0}' } }], remote: [{ type: 'sub' }] },
            { local: [{ group: { id: group.id } }], remote: [{ type: attribute, not_any_of: ['suspended'] }] },
          ];
          const own = await connectIssuer(api, issuer, { rules, settings: { credentials } });
          const { issued, disclosed } = await issueList(type, at);
          await isRefused(/held back/, issued, { disclosed });
          assert.equal(await isInGroup(await arrive(issued)), false);
          assertOk(await api.delete(own.path), 204);
        });

      it('that was not asked for may be held back', async () => {
        const type = uniqueName('https://lists.example');
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [['preferred_username']] }];
        const own = await connectIssuer(api, issuer, { settings: { credentials } });
        const { issued, disclosed } = await issueList(type, (state) => ({ state }));
        const visit = await visitor().ask();
        assert.equal((await issued.holder.answer(visit.link, { disclosed })).status, 200);
        assertOk(await api.delete(own.path), 204);
      });
    });

    describe('as a name', () => {
      it('is not taken if it is the address of somebody else', async () => {
        const own = await connectIssuer(api, issuer);
        const victim = `${uniqueName('vic')}@example.org`;
        const claims = { preferred_username: victim, email: victim, email_verified: true };
        const userId = await arrive(await issuer.issue({ sub: uniqueName('eve'), claims }));
        assert.equal(assertOk(await api.get(`/v3/users/${userId}`)).user.name, victim.split('@')[0]);
        assertOk(await api.delete(own.path), 204);
      });

      it('is none if it is half a character, which is stored as any other half', async () => {
        const own = await connectIssuer(api, issuer);
        for (const sub of ['half \ud800', 'half \ud801', '\udc00 half'])
          await isRefused(/who the person is/, await issuer.issue({ sub, claims: { preferred_username: uniqueName('half') } }));
        assertOk(await api.delete(own.path), 204);
      });

      it('is none if it is longer than what an index keeps', async () => {
        const type = uniqueName('https://long.example');
        const credentials = [{ format: 'dc+sd-jwt', types: [type], subject: ['sub'], claims: [['preferred_username']] }];
        const root_certificates = [issuer.root.certificate.toString()];
        const own = await connectIssuer(api, issuer, { settings: { credentials, issuers: [], root_certificates } });
        const long = `${issuer.url}/${randomBytes(1500).toString('hex')}`;
        const leaf = certify({ name: 'CN=Long', by: issuer.root, uris: [long], key: issuer.key });
        const twist: NonNullable<IssueOptions['twist']> = ({ payload, header }) => {
          payload.iss = long;
          header.x5c = [leaf.der];
        };
        await isRefused(/too long/, await issuer.issue({ type, by: 'certificate', twist }));
        assertOk(await api.delete(own.path), 204);
      });
    });
  },
  { settings },
);
