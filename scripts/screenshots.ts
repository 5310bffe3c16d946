// `npm run screenshots -- [FOLDER]`: pictures of every screen of the console and the wallet, of the account and of the pages to sign in,
// from a fresh service with sample data, at two widths and in both themes, into FOLDER. `--locale de`: in German. `--only credential`: those with any
// of these in their names, separated by commas. `--width 768`, which may be repeated: at another width. With --guide, the pictures of docs/guide/images instead.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { LANGUAGE_TAGS } from '../src/platform/languages/index.ts';
import { freePort } from '../test/support/ports.ts';
import { GatehouseProcess } from '../test/support/process.ts';
import { textsOf } from './language-texts.ts';
import { withPalette } from './palette.ts';
import { makeSamples, type Samples } from './samples.ts';

const PASSWORD = 'Correct-horse-9';
const DEMO = fileURLToPath(new URL('../examples/credentials/demo.js', import.meta.url));
const IMAGES = fileURLToPath(new URL('../docs/guide/images/', import.meta.url));
const WIDTHS = [360, 1280];
const THEMES = ['light', 'dark'] as const;

interface Service {
  readonly identity: string;
  readonly wallet: string;
  readonly issuer: string;
  readonly verifier: string;
}

interface Screen {
  readonly name: string;
  readonly address: string;
  /** What is done there before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** One that the server renders: nothing loads after it is there. */
  readonly isPlain?: boolean;
  /** Its name among the pictures of the guide. */
  readonly guide?: string;
}

const text = async (address: string): Promise<string> => (await (await fetch(address)).text()).trim();
const dialog =
  (button: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
  };

function consoleScreens(
  { identity }: Service,
  { person, group, organization, application, disabled, bank, workload, counter, api }: Samples,
): Screen[] {
  const at = (name: string, path: string, more: Partial<Screen> = {}): Screen => ({
    name,
    address: `${identity}/console${path}`,
    ...more,
  });
  const why = `/why?user_id=${disabled}&place=application&place_id=${application}`;
  return [
    at('overview', '', { guide: 'console-overview' }),
    at('people', '/people', { guide: 'console-people' }),
    at('people-nobody', '/people?search=nobody-has-this-name'),
    at('people-invite', '/people', { act: dialog('Invite') }),
    at('people-create', '/people', { act: dialog('New account') }),
    at('invitations', '/people/invitations'),
    at('people-import', '/people/import'),
    at('waiting', '/people/waiting'),
    at('deletions', '/people/deletions'),
    at('person', `/people/${person}`, { guide: 'console-person' }),
    ...['sign-in', 'sessions', 'access', 'groups', 'roles', 'credentials', 'history'].map((tab) =>
      at(`person-${tab}`, `/people/${person}?tab=${tab}`),
    ),
    at('groups', '/groups'),
    ...['members', 'roles', 'settings'].map((tab) => at(`group-${tab}`, `/groups/${group}?tab=${tab}`)),
    at('organizations', '/organizations'),
    at('organizations-tree', '/organizations?tab=tree'),
    ...['members', 'roles', 'below', 'settings'].map((tab) =>
      at(`organization-${tab}`, `/organizations/${organization}?tab=${tab}`),
    ),
    at('domains', '/domains'),
    ...['organizations', 'roles', 'sign-in', 'look', 'directory', 'settings'].map((tab) =>
      at(`domain-${tab}`, `/domains/default?tab=${tab}`),
    ),
    at('applications', '/applications'),
    at('applications-registered', '/applications/registered'),
    at('applications-registered-token', '/applications/registered', { act: dialog('New token') }),
    at('application-new', '/applications/new'),
    at('application-new-web', '/applications/new?kind=web'),
    at('application', `/applications/${application}`),
    at('application-secret', `/applications/${application}`, { act: dialog('New secret') }),
    at('application-roles', `/applications/${application}?tab=roles`, { guide: 'console-matrix' }),
    at('application-people', `/applications/${application}?tab=people`),
    at('application-access', `/applications/${application}?tab=access`),
    at('application-credentials', `/applications/${application}?tab=credentials`),
    at('application-credential-type', `/applications/${application}?tab=credentials`, { act: dialog('New type') }),
    at('application-start', `/applications/${application}?tab=start`),
    at('application-bank', `/applications/${bank}`),
    at('application-workload', `/applications/${workload}`),
    at('application-counter', `/applications/${counter}`),
    at('apis', '/apis'),
    at('apis-create', '/apis', { act: dialog('Register an API') }),
    at('api', `/apis/${api}`),
    at('api-change', `/apis/${api}`, { act: dialog('Change') }),
    at('api-scope', `/apis/${api}`, { act: dialog('Add a scope') }),
    at('credentials', '/credentials'),
    at('why', '/why'),
    at('why-not', why, { guide: 'console-why', act: (page) => page.locator('.answer').scrollIntoViewIfNeeded() }),
    at('why-yes', `/why?user_id=${person}&place=application&place_id=${application}`),
    at('providers', '/providers', { guide: 'console-providers' }),
    at('provider-new', '/new-provider'),
    at('provider', '/providers/harbour'),
    at('provider-mapping', '/providers/harbour?tab=mapping', { guide: 'console-provider' }),
    at('provisioning', '/provisioning'),
    at('audit', '/audit', { guide: 'console-audit' }),
    at('service-mail-text', '/service/mail?text=en/reset-password'),
    ...[
      'settings',
      'sign-in',
      'look',
      'mail',
      'registration',
      'keys',
      'deliveries',
      'replicas',
      'backups',
      'catalog',
      'roles',
    ].map((part) => at(`service-${part}`, `/service/${part}`)),
  ];
}

const plain = (name: string, address: string, act?: Screen['act']): Screen => ({
  name,
  address,
  isPlain: true,
  ...(act ? { act } : {}),
});

const accountScreens = ({ identity }: Service): Screen[] =>
  ['', '/profile', '/security', '/sessions', '/applications', '/activity', '/data'].map((path) =>
    plain(`account${path.replace('/', '-')}`, `${identity}/account${path}`),
  );

const press =
  (step: string) =>
  async (page: Page): Promise<void> => {
    await page.locator(`form:has(input[value="${step}"]) button`).first().click();
    await page.locator('.qr').waitFor();
  };

/** For somebody who has roles and a wallet. */
const holderScreens = ({ identity }: Service): Screen[] => [
  plain('account-asked', `${identity}/account`),
  plain('account-who-may-ask', `${identity}/account/applications`),
  plain('account-access', `${identity}/account/access`),
  plain('account-credentials', `${identity}/account/applications`),
  plain('account-credential-offer', `${identity}/account/applications`, press('credential-offer')),
];

/** For those who are not signed in. */
const strangersScreens = ({ identity, wallet }: Service): Screen[] => [
  plain('home', `${identity}/`),
  plain('sign-in', `${identity}/account`),
  plain('sign-in-wallet', `${identity}/account`, press('wallet')),
  plain('sign-in-refused', `${identity}/account`, async (page) => {
    await page.locator('input[type=text]').first().fill('ada');
    await page.locator('input[type=password]').fill('wrong');
    await page.locator('button[type=submit]').first().click();
    await page.locator('.bad, [role=alert]').first().waitFor();
  }),
  plain('forgotten-password', `${identity}/openid/forgotten-password`),
  plain('register', `${identity}/openid/register`),
  plain('new-password-expired', `${identity}/openid/new-password?token=x`),
  plain('device', `${identity}/openid/device`),
  plain('error', `${identity}/openid/authorize?client_id=nobody`),
  plain('wallet-stranger', `${wallet}/`, (page) => page.getByRole('link').first().waitFor()),
];

/** Receives a credential, and looks at an offer and a request, by the person's own session. */
async function walletScreens(page: Page, { wallet, issuer, verifier }: Service): Promise<Screen[]> {
  const call = async <Answer>(path: string, body: unknown): Promise<Answer> => {
    const answer = await page.request.post(`${wallet}/api/v1/wallet/${path}`, { data: body, headers: { Origin: wallet } });
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  interface Exchange {
    readonly exchangeId: string;
    readonly credentials?: readonly { readonly id: string }[];
  }
  const received = await call<Exchange>('oid4vci', { uri: await text(`${issuer}/offer`) });
  const offered = await call<Exchange>('oid4vci', { uri: await text(`${issuer}/offer`), preview: true });
  const asked = await call<Exchange>('oid4vp', { uri: await text(`${verifier}/request`), preview: true });
  const shared = await call<Exchange>('oid4vp', { uri: await text(`${verifier}/request`) });
  const key = await call<{ id: string }>('keys', { alias: 'Signing' });
  await call(`keys/${key.id}/rotate`, {});
  const did = await call<{ id: string }>('dids', { alias: 'The company' });
  await call(`dids/${did.id}/publish`, {});
  const at = (name: string, path: string, more: Partial<Screen> = {}): Screen => ({
    name: `wallet-${name}`,
    address: wallet + path,
    ...more,
  });
  return [
    at('credentials', '/', { guide: 'wallet-credentials' }),
    at('credential', `/credentials/${received.credentials![0]!.id}`),
    at('receive', '/receive'),
    at('open', `/open?uri=${encodeURIComponent(await text(`${issuer}/offer`))}`),
    at('offer', `/receive/${offered.exchangeId}`),
    at('share', `/share/${asked.exchangeId}`, { guide: 'wallet-share' }),
    at('history', '/history'),
    at('history-party', `/history?party=${encodeURIComponent(new URL(verifier).host)}`),
    at('exchange', `/history/${shared.exchangeId}`),
    at('keys', '/keys'),
    at('keys-create', '/keys', { act: dialog('New key') }),
    at('identifiers', '/identifiers'),
    at('identifier', `/identifiers/${did.id}`),
    at('node', '/node'),
  ];
}

const signInTexts = await Promise.all(
  LANGUAGE_TAGS.map(async (tag) => (await textsOf('console/shared/words', tag)).get('signIn')),
);
const SIGN_IN = new RegExp(`^(${signInTexts.filter(Boolean).join('|')})$`);

async function signIn(page: Page, address: string, { name, password } = { name: 'admin', password: PASSWORD }): Promise<void> {
  await page.goto(address);
  const field = page.locator('input[type=password]');
  const link = page.getByRole('link', { name: SIGN_IN });
  await field.or(link).or(page.locator('.screen-body')).first().waitFor();
  if (await link.isVisible()) await link.click();
  await field.or(page.locator('.screen-body')).first().waitFor();
  if (await field.isVisible()) {
    await page.locator('input[name=username], input[type=text]').first().fill(name);
    await field.fill(password);
    await page.locator('button[type=submit]').first().click();
  }
  await page.locator('.screen-body[aria-busy=false]').waitFor();
}

async function show(page: Page, { address, act, isPlain = false }: Screen): Promise<void> {
  await page.goto(address);
  if (!isPlain) await page.locator('.screen-body[aria-busy=false]').waitFor();
  await act?.(page);
}

async function takeGuide(page: Page, screens: readonly Screen[]): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  for (const screen of screens.filter(({ guide }) => guide)) {
    await show(page, screen);
    writeFileSync(join(IMAGES, `${screen.guide}.png`), withPalette(await page.screenshot()));
  }
}

async function takeEach(page: Page, screens: readonly Screen[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const screen of screens)
    for (const width of values.width.map(Number)) {
      await page.setViewportSize({ width, height: 800 });
      await show(page, screen);
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({
          path: join(folder, `${screen.name}-${width}-${colorScheme}.png`),
          fullPage: screen.act === undefined,
        });
      }
    }
}

async function takeAll(
  browser: Browser,
  service: Service,
  samples: Samples,
  { folder, locale, only }: { folder: string | undefined; locale: string; only: string },
): Promise<void> {
  const newPage = async (): Promise<Page> =>
    (await browser.newContext({ locale, viewport: { width: 1280, height: 800 } })).newPage();
  const page = await newPage();
  await signIn(page, `${service.identity}/console`);
  await signIn(page, service.wallet);
  // What is done on a screen is named in English.
  const screens = [...consoleScreens(service, samples), ...(await walletScreens(page, service))].filter(
    ({ act }) => locale === 'en' || act === undefined,
  );
  if (folder === undefined) return takeGuide(page, screens);
  const chosen = (all: readonly Screen[]): Screen[] =>
    all.filter(({ name }) => only.split(',').some((part) => name.includes(part)));
  // First, because what waits for the holder's answer ends after some minutes.
  const holder = await newPage();
  await signIn(holder, `${service.identity}/console`, samples.holder);
  await takeEach(holder, chosen(holderScreens(service)), folder);
  await takeEach(page, chosen([...screens, ...accountScreens(service)]), folder);
  await takeEach(await newPage(), chosen(strangersScreens(service)), folder);
}

async function startDemo(): Promise<{ demo: ChildProcess; issuer: string; verifier: string }> {
  const [issuer, verifier] = [await freePort(), await freePort()];
  const env = { ...process.env, ISSUER_PORT: String(issuer), VERIFIER_PORT: String(verifier) };
  const demo = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(demo.stdout!, 'data');
  return { demo, issuer: `http://127.0.0.1:${issuer}`, verifier: `http://127.0.0.1:${verifier}` };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    guide: { type: 'boolean', default: false },
    locale: { type: 'string', default: 'en' },
    only: { type: 'string', default: '' },
    width: { type: 'string', multiple: true, default: WIDTHS.map(String) },
  },
});
const data = mkdtempSync(join(tmpdir(), 'gatehouse-screenshots-'));
const { demo, issuer, verifier } = await startDemo();
const gatehouse = new GatehouseProcess(['start'], {
  GATEHOUSE_DATA_DIR: data,
  GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
  GATEHOUSE_RATE_LIMITS: 'off',
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
  GATEHOUSE_IDENTITY_WALLET_SIGN_IN: 'both',
});
try {
  const service = { identity: await gatehouse.listening(), wallet: await gatehouse.walletListening(), issuer, verifier };
  const samples = await makeSamples(service.identity, PASSWORD);
  const program = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file));
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ ...(program ? { executablePath: program } : {}), args });
  const folder = values.guide ? undefined : (positionals[0] ?? 'screenshots');
  await takeAll(browser, service, samples, { folder, locale: values.locale, only: values.only });
  await browser.close();
  console.log(`the pictures are in ${folder ?? IMAGES}`);
} finally {
  demo.kill();
  gatehouse.child.kill();
  await once(gatehouse.child, 'exit');
  rmSync(data, { recursive: true, force: true });
}
