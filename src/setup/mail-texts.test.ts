// Texts of mails in set-up files.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertOk } from '../../test/support/answers.ts';
import { onUsualDatabase, TestApi } from '../../test/support/api.ts';
import { Operator } from '../../test/support/setup.ts';
import { apply } from './index.ts';

const PATH = '/v3/OS-SERVICE/mail/texts';
const NOTHING = 'nothing to change';
const fileOf = (...texts: readonly string[]): string => `version: 1\nmail_texts: [${texts.join(', ')}]\n`;
const textOf = (language: string, template: string, subject: string, body = 'Go to {{link}}'): string =>
  JSON.stringify({ language, template, subject, body });
const RESET = textOf('en', 'reset-password', '  Ahoy {{name}} ', 'Hello {{name}},\r\n\r\n{{link}}\r\n');
const SPANISH = textOf('es', 'invitation', 'Hola', 'Ven: {{link}} .');

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mail-'));
mkdirSync(join(folder, 'en'));
writeFileSync(join(folder, 'en', 'invitation.txt'), 'Subject: Come\n\n{{link}}\n');
writeFileSync(join(folder, 'en', 'invitation.html'), '<a href="{{link}}">Come</a>\n');
after(() => rmSync(folder, { recursive: true }));

onUsualDatabase(
  'Texts of mails in a set-up file',
  (api) => {
    const operator = new Operator(api);
    after(() => operator.remove());
    const stored = async (of: TestApi = api): Promise<string[][]> =>
      assertOk(await of.get(PATH))
        .mail_texts.filter(({ source }: { source: string }) => source === 'service')
        .map(({ language, template, subject, body }: Record<string, string>) => [language, template, subject, body]);

    it('are stored, changed again only where they differ, exported, and reset by --prune', async () => {
      const text = fileOf(RESET, SPANISH);
      assert.match(await operator.shows(text), /^\+ mail "reset-password" in "en"\n {4}subject: "Ahoy \{\{name\}\}"\n/);
      assert.equal(await operator.apply(text), 2);
      assert.deepEqual(await stored(), [
        ['en', 'reset-password', 'Ahoy {{name}}', 'Hello {{name}},\n\n{{link}}\n'],
        ['es', 'invitation', 'Hola', 'Ven: {{link}} .\n'],
      ]);
      for (const prune of [false, true]) assert.equal(await operator.shows(text, { prune }), NOTHING);
      const exported = await operator.export();
      assert.match(
        exported,
        /\nmail_texts:\n {2}- language: en\n {4}template: reset-password\n {4}body: \|\n {6}Hello \{\{name\}\},\n/,
      );
      assert.doesNotMatch(exported, /Come/, 'the operator has given it');
      assert.equal((await operator.shows(exported, { prune: true })).split('\n').at(-1), NOTHING);
      const empty = new TestApi(api.kind);
      await empty.start();
      const other = new Operator(empty);
      try {
        await other.apply(exported);
        assert.equal(await other.export(), exported);
        assert.deepEqual(await stored(empty), await stored());
      } finally {
        other.remove();
        await empty.stop();
      }
      const changed = fileOf(textOf('en', 'reset-password', 'A new password'));
      assert.match(
        await operator.shows(changed),
        /^~ mail "reset-password" in "en"\n {4}subject: "Ahoy \{\{name\}\}" -> "A new password"\n {4}body: /,
      );
      assert.equal(await operator.apply(changed), 1);
      assert.equal(await operator.apply(changed, { prune: true }), 1);
      assert.deepEqual(
        (await stored()).map(([language]) => language),
        ['en'],
      );
      assert.equal(await operator.apply('version: 1\nroles: [{name: member}]\n', { prune: true }), 0);
      assert.equal(await operator.apply(fileOf(), { prune: true }), 1);
      assert.deepEqual(await stored(), []);
    });

    it('are refused where the service has no such mail, or the operator has given it', async () => {
      assert.equal(
        await operator.problems(fileOf(textOf('en', 'nothing', 'x'), textOf('tlh', 'invitation', 'x'))),
        [0, 1].map((at) => `setup.yaml:2: mail_texts[${at}]: the service has no such mail, or not in this language`).join('\n'),
      );
      assert.equal(
        await operator.problems(fileOf(textOf('en', 'invitation', 'x'))),
        'setup.yaml:2: mail_texts[0]: the operator has given the mail as a file',
      );
      await assert.rejects(
        operator.apply(fileOf(textOf('en', 'reset-password', 'x', '{{link}} {{nothing}}'))),
        /setup\.yaml:2: mail_texts\[0\]: mail "reset-password" in "en": .*400: /,
      );
    });

    it('are not overwritten if somebody else changed them after the plan, and need the right', async () => {
      await operator.apply(fileOf(RESET));
      const planned = await operator.plan(fileOf(textOf('en', 'reset-password', 'Mine')));
      await api.put(`${PATH}/en/reset-password`, { mail_text: { subject: 'Theirs', body: '{{link}}' } });
      await assert.rejects(
        apply(planned, operator.secrets(), () => undefined),
        /subject was changed by somebody else meanwhile; plan again/,
      );
      const domain = await api.make('domain', { name: 'Of a manager' });
      const { token } = await api.persona(['manager'], { domain: domain.id }, { domain_id: domain.id });
      await assert.rejects(operator.apply(fileOf(RESET), { token }), /403: /);
      assert.deepEqual(
        (await stored()).map(([, , subject]) => subject),
        ['Theirs'],
      );
    });
  },
  { settings: { GATEHOUSE_IDENTITY_MAIL_TEMPLATES: folder } },
);
