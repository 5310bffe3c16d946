import type { Translation } from '../languages.ts';
import type { SharedTexts } from './en.ts';

export const texts: Translation<SharedTexts> = {
  language: 'de',
};
