// Starts the pages of the wallet: texts, the person, then the screen that the address names.
import { html, render } from 'lit';
import { onIdle } from '../shared/idle.ts';
import { problemMessage, problemOf } from '../shared/problem.ts';
import { hrefOf } from '../shared/router.ts';
import { settings } from '../shared/settings.ts';
import { loadSharedTexts } from '../shared/words/index.ts';
import { loadWords } from './words/index.ts';

async function start(): Promise<void> {
  await Promise.all([loadSharedTexts(settings.language), loadWords(settings.language)]);
  try {
    const [{ frame }, { menu, routes }, { session }] = await Promise.all([
      import('./frame.ts'),
      import('./screens.ts'),
      import('./session.ts'),
    ]);
    if (!(await session.start())) return;
    const { idleSeconds } = settings as typeof settings & { readonly idleSeconds: number };
    session.watch();
    onIdle(idleSeconds, () => void session.signOut());
    const items = () =>
      menu.map(({ path, icon, label, others = [] }) => ({
        href: hrefOf(path),
        icon,
        label: label(),
        others: others.map((one) => hrefOf(one)),
      }));
    frame.start({ routes, menu: items });
  } catch (error) {
    const again = (): void => window.location.reload();
    render(html`<main id="content">${problemMessage({ ...problemOf(error), canRetry: true }, again)}</main>`, document.body);
  }
}

void start();
