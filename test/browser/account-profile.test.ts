// A person edits their profile and picture in a real browser, without scripts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { makeUser } from '../support/relying-party.ts';
import { alertOf, openAccount, press, sectionOf, signInToAccount, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();

/** An image of the browser's own, 60 by 40 pixels. */
const drawn = (type: string): string => `(() => { const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [60, 40];
  const context = canvas.getContext('2d');
  context.fillStyle = 'rebeccapurple';
  context.fillRect(0, 0, 60, 40);
  return canvas.toDataURL('${type}').split(',')[1]; })()`;

/** With Exif that says to turn it by a quarter, and where it was taken. */
function turned(jpeg: Buffer): Buffer {
  const entry = Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]);
  const data = Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01', 'latin1'), entry, Buffer.from('in Madrid')]);
  const head = Buffer.from([0xff, 0xe1, 0, data.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

onDatabase('SQLite', 'The profile', {}, (api) => {
  it('is edited: names, language and time zone', async () => {
    const page = await chromium.open(api, { javaScriptEnabled: false });
    await signInToAccount(api, page, await makeUser(api), 'profile');
    await page.getByLabel(words.givenName).fill('Ana');
    await page.getByLabel(words.familyName).fill('Pérez');
    await page.getByLabel(words.displayName).fill('x'.repeat(101));
    await press(page, words.save);
    assert.equal(await alertOf(page), words.wrongProfile.displayName);
    assert.equal(await page.getByLabel(words.givenName).inputValue(), 'Ana');
    await page.getByLabel(words.displayName).fill('Ana P.');
    await page.getByLabel(words.timezone).selectOption('Europe/Madrid');
    await press(page, words.save);
    assert.equal(await page.getByRole('status').innerText(), words.profileIsChanged);
    await openAccount(api, page, 'overview');
    assert.match(await sectionOf(page, words.profile).innerText(), /Ana P\./);
    await openAccount(api, page, 'sessions');
    assert.match(await page.locator('time').first().innerText(), /CES?T|GMT\+[12]/);
    await openAccount(api, page, 'profile');
    await page.locator('#preferredLanguage').selectOption('es');
    await press(page, words.save);
    assert.equal(await titleOf(page), 'Perfil');
  });

  it('has a picture, which browsers show as it was taken, without where that was', async () => {
    const page = await chromium.open(api);
    await signInToAccount(api, page, await makeUser(api), 'profile');
    const images = new Map<string, Buffer>();
    for (const type of ['png', 'jpeg', 'webp'])
      images.set(type, Buffer.from(await page.evaluate<string>(drawn(`image/${type}`)), 'base64'));
    images.set('turned', turned(images.get('jpeg')!));
    const size =
      "(() => { const { naturalWidth, naturalHeight } = document.querySelector('.picture'); return [naturalWidth, naturalHeight]; })()";
    for (const [name, buffer] of images) {
      await page.getByLabel(words.pictureFile).setInputFiles({ name: `${name}.txt`, mimeType: 'text/plain', buffer });
      await press(page, words.uploadPicture);
      assert.equal(await page.getByRole('status').innerText(), words.pictureIsChanged, name);
      await page.waitForFunction("document.querySelector('.picture').complete");
      assert.deepEqual(await page.evaluate(size), name === 'turned' ? [40, 60] : [60, 40], name);
      const path = await page.locator('.picture').getAttribute('src');
      const content = Buffer.from(await (await fetch(new URL(path!, api.url))).arrayBuffer());
      assert.ok(!content.includes('Madrid'));
    }
    const { SCREENSHOTS: folder } = process.env;
    if (folder) await page.screenshot({ path: `${folder}/profile-picture.png`, fullPage: true });
    await page
      .getByLabel(words.pictureFile)
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
    await press(page, words.uploadPicture);
    assert.equal(await alertOf(page), words.pictureProblems['not an image']);
    await press(page, words.removePicture);
    assert.equal(await page.locator('.picture').count(), 0);
  });
});
