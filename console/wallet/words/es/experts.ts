import type { Words } from '../en/index.ts';

export const experts: Words['experts'] = {
  title: 'Para expertos',
};
