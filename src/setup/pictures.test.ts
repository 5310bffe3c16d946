// The logo and the icon of the service, and logos of applications, in set-up files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../test/support/answers.ts';
import { onUsualDatabase, TestApi } from '../../test/support/api.ts';
import { png } from '../../test/support/pictures.ts';
import { Operator } from '../../test/support/setup.ts';
import { parseSetup } from './document.ts';
import { wantedOf } from './wanted.ts';

const PATH = '/v3/OS-SERVICE/look';
const NOTHING = 'nothing to change';
const base64 = (side: number): string => png(side).toString('base64');
const fileOf = (pictures: Readonly<Record<string, string>>): string =>
  `version: 1\npictures:${Object.keys(pictures).length === 0 ? ' []' : ''}\n${Object.entries(pictures)
    .map(([name, content]) => `  - name: ${name}\n    content: ${JSON.stringify(content)}\n`)
    .join('')}`;

const APPLICATIONS = '/v3/OS-OAUTH2/consumers';

onUsualDatabase('Pictures in a set-up file', (api) => {
  const operator = new Operator(api);
  after(() => operator.remove());
  const stored = async (name: string, of: TestApi = api): Promise<string> =>
    assertOk(await of.get(`${PATH}/${name}`)).picture.content;

  it('are stored, changed again only where they differ, exported, and removed by --prune', async () => {
    const wrapped = base64(1).replaceAll(/.{20}/g, '$&\n');
    const text = fileOf({ logo: wrapped, favicon: base64(2) });
    assert.match(await operator.shows(text), /^\+ logo of the service\n {4}content: "iVBOR\w/);
    assert.equal(await operator.apply(text), 2);
    assert.deepEqual([await stored('logo'), await stored('favicon')], [base64(1), base64(2)]);
    for (const prune of [false, true]) assert.equal(await operator.shows(text, { prune }), NOTHING);
    const exported = await operator.export();
    assert.equal((await operator.shows(exported, { prune: true })).split('\n').at(-1), NOTHING);
    const empty = new TestApi(api.kind);
    await empty.start();
    const other = new Operator(empty);
    try {
      assert.equal(await other.apply(exported), 2);
      assert.equal(await other.export(), exported);
      assert.deepEqual([await stored('logo', empty), await stored('favicon', empty)], [base64(1), base64(2)]);
    } finally {
      other.remove();
      await empty.stop();
    }
    const changed = fileOf({ logo: base64(3) });
    assert.equal((await operator.shows(changed)).split('\n')[0], '~ logo of the service');
    assert.equal(await operator.apply(changed), 1);
    assert.equal(await stored('favicon'), base64(2));
    assert.equal(await operator.shows(changed, { prune: true }), '- icon of the service\n0 to create, 0 to change, 1 to delete');
    assert.equal(await operator.apply(changed, { prune: true }), 1);
    assertRefused(await api.get(`${PATH}/favicon`), 404);
    assert.equal(await operator.apply(fileOf({}), { prune: true }), 1);
    assertRefused(await api.get(`${PATH}/logo`), 404);
  });

  it('are logos of applications, too', async () => {
    const uri = 'https://rowing.example.org/callback';
    const fileWith = (pictures: string): string =>
      `version: 1\napplications:\n  - name: Rowing\n    redirect_uris: ["${uri}"]\n    pictures: ${pictures}\n`;
    const logo = (side: number): string => `[{ name: logo, content: ${base64(side)} }]`;
    assert.match(await operator.shows(fileWith(logo(1))), /\+ logo of application "Rowing"/);
    assert.equal(await operator.apply(fileWith(logo(1))), 2);
    const exported = await operator.export();
    assert.ok(exported.includes(`pictures:\n      - name: logo\n        content: ${base64(1)}`), exported);
    const { consumers } = assertOk(await api.get(`${APPLICATIONS}?name=Rowing`));
    const path = `${APPLICATIONS}/${consumers[0].id}`;
    assertOk(await api.delete(path), 204);
    assert.equal(await operator.apply(exported), 2);
    assert.equal(await operator.shows(exported, { prune: true }), NOTHING);
    const content = async () => {
      const { consumers: again } = assertOk(await api.get(`${APPLICATIONS}?name=Rowing`));
      return assertOk(await api.get(`${APPLICATIONS}/${again[0].id}/logo`)).logo.content;
    };
    assert.equal(await content(), base64(1));
    assert.equal(await operator.apply(fileWith(logo(2))), 1);
    assert.equal(await content(), base64(2));
    assert.equal(await operator.shows(fileWith('[]')), NOTHING);
    assert.match(await operator.shows(fileWith('[]'), { prune: true }), /^- logo of application "Rowing"\n/);
    assert.equal(await operator.apply(fileWith('[]'), { prune: true }), 1);
    await assert.rejects(content());
    const wrong = fileWith('[{ name: logo, content: PHN2Zz4= }]');
    assert.throws(() => wantedOf(parseSetup('setup.yaml', wrong)), /applications\[0\]\.pictures\[0\]\.content: it is not a PNG/);
  });

  it('are those of a domain, too, which may not exist yet', async () => {
    const of = (content: string): string =>
      `version: 1\ndomains:\n  - name: Quay\n    settings:\n      look.name: Quay\n    pictures:\n      - name: logo\n        content: ${content}\n`;
    assert.equal(await operator.apply(of(base64(1))), 3);
    const [{ id }] = assertOk(await api.get('/v3/domains?name=Quay')).domains;
    const logo = async () => assertOk(await api.get(`/v3/OS-SERVICE/domains/${id}/look/logo`)).picture.content;
    assert.equal(await logo(), base64(1));
    assert.match(await operator.shows(of(base64(2))), /^~ logo of domain "?Quay"?/);
    assert.equal(await operator.apply(of(base64(2))), 1);
    assert.equal(await logo(), base64(2));
    assert.equal((await operator.shows(await operator.export())).split('\n').at(-1), NOTHING);
    const none = of('').replace(/ {4}pictures:[\s\S]*/, '    pictures: []\n');
    assert.match(await operator.shows(none, { prune: true }), /- logo of domain/);
  });

  it('need the right to change them', async () => {
    const domain = await api.make('domain', { name: 'Of a manager' });
    const { token } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
    await assert.rejects(operator.apply(fileOf({ logo: base64(1) }), { token }), /403: /);
    assertRefused(await api.get(`${PATH}/logo`), 404);
  });
});

describe('Pictures of a set-up file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-logo-'));
  const logo = join(folder, 'logo.png');
  writeFileSync(logo, png());
  const api = new TestApi('SQLite', { settings: { GATEHOUSE_IDENTITY_BRAND_LOGO: logo } });
  const operator = new Operator(api);
  before(() => api.start());
  after(async () => {
    await api.stop();
    operator.remove();
    rmSync(folder, { recursive: true });
  });

  it('that are none are refused before anything is asked', () => {
    const refusal = (content: string): string => {
      try {
        wantedOf(parseSetup('setup.yaml', fileOf({ logo: content })));
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    assert.equal(refusal(base64(1)), '');
    const place = 'setup.yaml:4: pictures[0].content: it is';
    assert.equal(refusal('<svg>'), `${place} not base64 (RFC 4648, section 4)`);
    assert.equal(refusal(Buffer.from('<svg/>').toString('base64')), `${place} not a PNG, JPEG or WebP image`);
    assert.equal(refusal(Buffer.alloc(64 * 1024 + 1).toString('base64')), `${place} larger than 65536 bytes`);
    assert.match(refusal('a'.repeat(200_000)), /^setup\.yaml:4: pictures\[0\]\.content: must NOT have more than /);
  });

  it('are refused where the operator has given the logo', async () => {
    assert.equal(
      await operator.problems(fileOf({ favicon: base64(1) })),
      'setup.yaml:3: pictures[0]: the operator has given the logo as a file',
    );
  });
});
