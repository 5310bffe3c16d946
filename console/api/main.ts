// Starts the page of the API: texts, the document, then what the address names.
import { html, render } from 'lit';
import { settings } from '../shared/settings.ts';
import { loadSharedTexts } from '../shared/words/index.ts';
import type { ApiDocument } from './document.ts';
import { ApiViewer } from './viewer.ts';
import { loadWords, words } from './words/index.ts';

async function start(): Promise<void> {
  await Promise.all([loadSharedTexts(settings.language), loadWords(settings.language)]);
  try {
    const answer = await fetch('/openapi.json');
    if (!answer.ok) throw new Error(String(answer.status));
    const viewer = document.createElement('gh-api-viewer') as ApiViewer;
    viewer.api = (await answer.json()) as ApiDocument;
    document.title = `${viewer.api.info.title} · ${words.title}`;
    document.body.replaceChildren(viewer);
  } catch {
    render(html`<main id="content"><p>${words.failed}</p></main>`, document.body);
  }
}

void ApiViewer;
void start();
