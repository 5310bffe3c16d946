// Accepting an invitation in a real browser, with a real mail.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../support/answers.ts';
import { onDatabase, uniqueName } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { InvitationClient, NEW_PASSWORD, newAddress, tokenOf } from '../support/invitations.ts';
import { MailServer, smtpSettings } from '../support/mail-server.ts';
import { enterPassword, follow, press, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();
const server = new MailServer();
await server.open();
// So that the process can end.
server.unref();

onDatabase('SQLite', 'An invitation in a browser', { settings: smtpSettings(server) }, (api) => {
  const client = new InvitationClient(api, server);

  it('makes an account, and later gives it more', async () => {
    const organization = await api.make('project', { name: 'Lake Works' });
    const [email, name] = [newAddress(), uniqueName('eve')];
    const { link } = await client.invited({ email });
    const page = await chromium.open(api);
    await page.goto(link);
    assert.equal(page.url(), `${api.url}/openid/invitation`);
    assert.equal(await page.getByLabel(words.userName).inputValue(), email);
    await page.getByLabel(words.userName).fill(name);
    await page.getByLabel(words.invitationPassword, { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel(words.invitationPasswordAgain).fill(NEW_PASSWORD);
    await press(page, words.invitationCreate);
    assert.equal(await titleOf(page), words.invitationDoneTitle);
    await follow(page, words.invitationToAccount);
    await enterPassword(page, { name, password: NEW_PASSWORD });
    assert.equal(await titleOf(page), words.account);
    await page.goBack();
    assert.ok(!page.url().includes('token'), 'not in the history');

    const next = await client.invited({ email, organization_id: organization.id });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.url()} ${request.headers().referer ?? ''}`));
    await page.goto(next.link);
    assert.equal(await titleOf(page), words.invitationTitle('Lake Works'));
    await page.getByText(words.invitationAs(name)).waitFor();
    await press(page, words.invitationAccept);
    await page.getByText(words.invitationDone('Lake Works')).waitFor();
    assert.equal(requests.filter((one) => one.includes(tokenOf(next.link))).length, 1, 'only the link itself');
    const [user] = assertOk(await api.get(`/v3/users?name=${name}`)).users;
    const { roles } = assertOk(await api.get(`/v3/projects/${organization.id}/users/${user.id}/roles`));
    assert.equal(roles.length, 1);
  });

  it('is accepted after a sign-in, when somebody else is signed in', async () => {
    const [email, name] = [newAddress(), uniqueName('eve')];
    await client.accepted((await client.invited({ email })).link, name);
    const other = await api.make('user', { name: uniqueName('bob'), password: NEW_PASSWORD });
    const page = await chromium.open(api, { locale: 'es-ES' });
    await page.goto((await client.invited({ email })).link);
    await press(page, 'Iniciar sesión para aceptar');
    const enter = async (user: string): Promise<void> => {
      await page.getByLabel('Nombre de usuario').fill(user);
      await page.getByLabel('Contraseña', { exact: true }).fill(NEW_PASSWORD);
      await press(page, 'Iniciar sesión');
    };
    await enter(other.name);
    await page.getByText('Esta cuenta tiene otra dirección').waitFor();
    await press(page, 'Iniciar sesión para aceptar');
    await enter(name);
    await page.getByText(`Ha iniciado sesión como ${name}.`).waitFor();
    await press(page, 'Aceptar');
    await page.getByText('Ha aceptado la invitación').waitFor();
  });
});
