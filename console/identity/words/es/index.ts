// Español: un archivo por pantalla.
import type { Words } from '../en/index.ts';
import { applications } from './applications.ts';
import { frame } from './frame.ts';
import { overview } from './overview.ts';
import { people } from './people.ts';

export const words: Words = { applications, frame, overview, people };
