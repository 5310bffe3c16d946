import type { Translation } from '../../shared/languages.ts';
import type { ApiTexts } from './en.ts';

export const texts: Translation<ApiTexts> = {};
