// What a destructive act would end and remove, in numbers, as the service counts it.
import { html, nothing } from 'lit';
import type { Content } from '../shared/screen.ts';

export type Impact = Readonly<Record<string, number>>;

export async function impactOf(_path: string, _act: string): Promise<Impact | undefined> {
  return undefined;
}

export const impactText = (impact: Impact | undefined): Content => (impact ? html`${Object.keys(impact)}` : nothing);
