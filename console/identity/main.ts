// Starts the console: texts, the person, then the screen that the address names.
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
    await session.start();
    onIdle(session.idleSeconds, () => void session.signOut());
    const mine = () => menu.filter(({ rules }) => !rules || rules.some((rule) => session.may(rule)));
    frame.start({
      routes,
      menu: () => mine().map(({ path, label, icon }) => ({ href: hrefOf(path), label: label(), ...(icon ? { icon } : {}) })),
    });
  } catch (error) {
    const again = (): void => window.location.reload();
    render(html`<main id="content">${problemMessage({ ...problemOf(error), canRetry: true }, again)}</main>`, document.body);
  }
}

void start();
