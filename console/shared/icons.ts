// The few icons of the pages, drawn for Gatehouse on a square of 24 by 24, as lines of one width. They stand beside words, never alone.
import { html, svg, type TemplateResult } from 'lit';

const ICONS = {
  menu: 'M4 6h16M4 12h16M4 18h16',
  overview: 'M4 4h6v9H4zM14 4h6v5h-6zM14 13h6v7h-6zM4 17h6v3H4z',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6',
  group:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 19c.8-3.4 3.2-5 6.5-5s5.7 1.6 6.5 5M16 5.2a3.5 3.5 0 0 1 0 6.6M18 14.4c1.9.7 3 2.2 3.5 4.6',
  building: 'M5 20V5l8-2v17M13 9h6v11M3 20h18M8 8h2M8 12h2M8 16h2M16 13h0M16 16.5h0',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3.5 3 3.5 15 0 18M12 3c-3.5 3-3.5 15 0 18',
  application: 'M3.5 5h17v14h-17zM3.5 9.5h17M7 7.2h0M10 7.2h0',
  card: 'M3 6h18v12H3zM3 10h18M6.5 14.5h4',
  question: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 16.8h0',
  exchange: 'M4 8h15M15 4l4 4-4 4M20 16H5M9 12l-4 4 4 4',
  list: 'M8.5 6H20M8.5 12H20M8.5 18H20M4.5 6h0M4.5 12h0M4.5 18h0',
  sliders: 'M4 7h9M17 7h3M15 4.5v5M4 17h3M11 17h9M9 14.5v5',
  enter: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  folder: 'M3.5 18.5v-13h6l2 2.5h9v10.5z',
  mail: 'M3 6h18v12H3zM3 7l9 6.5L21 7',
  pencil: 'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
  brackets: 'M8 6.5L2.5 12 8 17.5M16 6.5l5.5 5.5-5.5 5.5M13.5 4.5l-3 15',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l8-8M16 7l3 3',
} as const;

export type Icon = keyof typeof ICONS;

export const icon = (name: Icon): TemplateResult =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${svg`<path d=${ICONS[name]}></path>`}</svg>`;
