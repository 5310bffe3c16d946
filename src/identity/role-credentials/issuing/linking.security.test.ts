// Verifiers who compare what they were shown: nothing in a copy may say that it is of the same person as another one, beside what both say of
// everybody who has the role.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { readIssued, securityObjectOf } from '../../../../test/support/mdoc-holder.ts';
import {
  makeHolder,
  makeRoleWorld,
  makeType,
  type RoleHolder,
  readJwt,
  readSdJwt,
  TestCredentialWallet,
  TYPES,
  usesRoleWorld,
} from '../../../../test/support/role-credentials.ts';

const DAY = 86_400;
const COPIES = 10;

/** Every value at any depth. What is not JSON, such as bytes and times, by how it is written. */
function leavesOf(value: unknown): string[] {
  if (value instanceof Date) return [value.toISOString()];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('hex')];
  if (value instanceof Map) return [...value].flatMap(([key, inner]) => [String(key), ...leavesOf(inner)]);
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => [name, ...leavesOf(inner)]);
  return [String(value)];
}

/** What every verifier sees, whatever the holder holds back. */
const VISIBLE: Readonly<Record<string, (raw: string) => string[]>> = {
  sd_jwt: (raw) => {
    const { header, payload } = readSdJwt(raw);
    return [...leavesOf(header), ...leavesOf(payload), ...String(raw.split('~')[0]).split('.')];
  },
  jwt_vc: (raw) => {
    const { header, payload } = readJwt(raw);
    return [...leavesOf(header), ...leavesOf(payload), ...raw.split('.')];
  },
  mdoc: (raw) => {
    const [protectedHeaders, headers, , signature] = readIssued(raw).get('issuerAuth') as unknown[];
    return [...leavesOf([protectedHeaders, headers, signature]), ...leavesOf(securityObjectOf(raw))];
  },
};

/** A batch: a key for each copy. */
async function copiesFor(api: TestApi, person: RoleHolder, id: string, count: number): Promise<string[]> {
  const wallet = new TestCredentialWallet(api);
  const token = await wallet.tokenFor(person, id);
  const nonce = await wallet.nonce();
  const jwt = await Promise.all(Array.from({ length: count }, () => wallet.proof({ nonce })));
  const { credentials } = assertOk(await wallet.request(token, { credential_configuration_id: id, proofs: { jwt } }));
  return credentials.map(({ credential }: { credential: string }) => credential);
}

const MARGIN = 900;

onUsualDatabase(
  'Copies of a credential',
  (api) => {
    // Not while one day becomes the next.
    before(() => {
      if (DAY - (Math.floor(api.clock.now() / 1000) % DAY) < MARGIN) api.clock.advance(MARGIN);
    });
    const { world, person } = usesRoleWorld(api, { formats: ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'], claims: [] });
    let neighbour: RoleHolder;
    let later: RoleHolder;
    before(async () => {
      neighbour = await makeHolder(api, world);
      later = await makeHolder(api, world);
    });

    for (const [suffix, visible] of Object.entries(VISIBLE))
      describe(`as ${suffix}`, () => {
        it('have nothing in common that somebody else’s does not have, too', async () => {
          const own = (await copiesFor(api, person, `${world.typeId}.${suffix}`, COPIES)).map(visible);
          const [other] = (await copiesFor(api, neighbour, `${world.typeId}.${suffix}`, 1)).map(visible);
          api.clock.advance(90);
          const [after] = (await copiesFor(api, later, `${world.typeId}.${suffix}`, 1)).map(visible);
          for (const [at, one] of own.entries())
            for (const another of own.slice(at + 1)) {
              const common = new Set(one.filter((leaf) => another.includes(leaf)));
              for (const leaf of common) {
                assert.ok(other!.includes(leaf), `${leaf} is in two copies of one person, and in none of a neighbour`);
                assert.ok(after!.includes(leaf), `${leaf} is in two copies of one person, and in none that was issued later`);
              }
            }
          for (const leaf of [...own.flat(), ...other!]) assert.ok(!leaf.includes(person.id), `${leaf} has the id of the person`);
        });

        it('have entries of a status list that are not beside each other', async () => {
          const copies = await copiesFor(api, later, `${world.typeId}.${suffix}`, COPIES);
          const entries = copies.map((raw) => {
            if (suffix === 'mdoc') return securityObjectOf(raw).get('status').get('status_list').get('idx') as number;
            const { payload } = readJwt(raw);
            return Number(payload.status?.status_list.idx ?? payload.credentialStatus[0].statusListIndex);
          });
          assert.equal(new Set(entries).size, COPIES);
          // That ten of 131,072 are so near by chance does not happen.
          assert.ok(Math.max(...entries) - Math.min(...entries) > 1000, entries.join());
          assert.notDeepEqual(
            entries,
            entries.toSorted((one, next) => one - next),
          );
        });
      });

    it('say no second in which somebody got theirs, and lose at most a tenth of their time', async () => {
      for (const [validity, unit] of [
        [30 * DAY, DAY],
        [DAY, 3600],
        [3600, 60],
      ] as const) {
        const { id } = await makeType(api, world.application, { validity_seconds: validity });
        const now = Math.floor(api.clock.now() / 1000);
        const [raw] = await copiesFor(api, person, `${id}.sd_jwt`, 1);
        const { iat, nbf, exp } = readSdJwt(raw!).payload;
        assert.equal(iat, nbf);
        assert.equal(exp % unit, 0);
        assert.ok(exp > now + 0.9 * validity && exp <= now + validity, `${exp - now} of ${validity}`);
        assert.ok(iat <= now && iat > now - unit);
      }
    });

    it('name the account only where their type says so', async () => {
      const other = await makeRoleWorld(api, { subject: 'user', formats: ['dc+sd-jwt', 'jwt_vc_json'], claims: [] });
      const holder = await makeHolder(api, other);
      const [sdJwt] = await copiesFor(api, holder, other.sdJwt, 1);
      assert.equal(readSdJwt(sdJwt!).payload.sub, holder.id);
      const [jwtVc] = await copiesFor(api, holder, other.jwtVc, 1);
      assert.equal(readJwt(jwtVc!).payload.sub, `${api.url}/v3/users/${holder.id}`);
      const changed = await api.patch(`${TYPES}/${other.typeId}`, { credential_type: { subject: 'none' } });
      assert.equal(assertOk(changed).credential_type.subject, 'none');
      const [after] = await copiesFor(api, holder, other.sdJwt, 1);
      assert.equal(readSdJwt(after!).payload.sub, undefined);
    });

    it('do not name the account by default', async () => {
      const { body } = await api.get(`${TYPES}/${world.typeId}`);
      assert.equal(body.credential_type.subject, 'none');
      const refused = await api.patch(`${TYPES}/${world.typeId}`, { credential_type: { subject: 'somebody' } });
      assert.equal(refused.status, 400);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_CREDENTIAL_BATCH_SIZE: '10' } },
);
