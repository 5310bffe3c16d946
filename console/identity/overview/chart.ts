// Logins and refusals by hour, as bars. The same figures are in a table for those who do not see the picture.
import { html, svg, type TemplateResult } from 'lit';
import { localeOf } from '../../shared/languages.ts';
import { numberText } from '../../shared/time.ts';
import { shared } from '../../shared/words/index.ts';
import { words } from '../words/index.ts';

export interface HourCount {
  readonly start: string;
  readonly logins: number;
  readonly refused: number;
}

const HEIGHT = 120;
const STEP = 30;
const BAR = 12;
/** For numbers above the bars, and at the lines. */
const TOP = 32;
const SIDE = 56;
/** As many bars have their numbers above them. */
const FEW = 8;

const hourText = (start: string): string =>
  new Intl.DateTimeFormat(localeOf(shared.language), { hour: '2-digit', minute: '2-digit' }).format(new Date(start));

export function chart(hours: readonly HourCount[]): TemplateResult {
  const { overview } = words;
  const most = Math.max(1, ...hours.map(({ logins, refused }) => Math.max(logins, refused)));
  const total = (name: 'logins' | 'refused'): number => hours.reduce((sum, hour) => sum + hour[name], 0);
  const bars = hours.flatMap(({ logins, refused }) => [logins, refused]).filter((count) => count > 0).length;
  const bar = (count: number, x: number, name: string): TemplateResult => {
    const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
    // A lonely bar says nothing by its height.
    const number =
      count > 0 && bars <= FEW
        ? svg`<text class="count" x=${x + BAR / 2} y=${TOP + HEIGHT - height - 4} text-anchor="middle">${numberText(count)}</text>`
        : '';
    return svg`<rect class=${name} x=${x} y=${TOP + HEIGHT - height} width=${BAR} height=${height} rx="2"></rect>${number}`;
  };
  const width = hours.length * STEP;
  // Half and all of the most that there was in an hour.
  const lines = [...new Set([most, Math.round(most / 2)])].filter((count) => count > 0);
  const line = (count: number): TemplateResult => {
    const y = TOP + HEIGHT - (count / most) * HEIGHT;
    return svg`<line x1="0" x2=${width} y1=${y} y2=${y}></line><text x=${width + SIDE} y=${y + 4} text-anchor="end">${numberText(count)}</text>`;
  };
  // The last hour is too narrow for its label, which ends with the picture.
  const label = (start: string, at: number): TemplateResult =>
    at === hours.length - 1
      ? svg`<text x=${hours.length * STEP} y=${TOP + HEIGHT + 16} text-anchor="end">${hourText(start)}</text>`
      : svg`<text x=${at * STEP} y=${TOP + HEIGHT + 16}>${hourText(start)}</text>`;
  return html`<p>${overview.loginsText(numberText(total('logins')), numberText(total('refused')))}</p>
    <svg class="chart" viewBox="0 0 ${width + SIDE} ${TOP + HEIGHT + 20}" preserveAspectRatio="xMinYMid" role="img" aria-label=${overview.logins}>
      ${lines.map(line)}<line class="base" x1="0" x2=${width} y1=${TOP + HEIGHT} y2=${TOP + HEIGHT}></line>
      ${hours.map(
        ({ start, logins, refused }, at) => svg`<g>
          <title>${overview.hour(hourText(start), numberText(logins), numberText(refused))}</title>
          ${bar(logins, at * STEP + 2, 'logins')}${bar(refused, at * STEP + 2 + BAR, 'refused')}
          ${at % 6 === 0 ? label(start, at) : ''}
        </g>`,
      )}
    </svg>
    <p class="legend"><span class="logins"></span> ${overview.loginsLegend} <span class="refused"></span> ${overview.refusedLegend}</p>
    <details><summary>${overview.asTable}</summary><div class="table" role="region" tabindex="0" aria-label=${overview.logins}><table>
      <thead><tr><th scope="col">${overview.hourTitle}</th><th scope="col">${overview.loginsLegend}</th><th scope="col">${overview.refusedLegend}</th></tr></thead>
      <tbody>${hours.map(({ start, logins, refused }) => html`<tr><th scope="row">${hourText(start)}</th><td data-name=${overview.loginsLegend}>${numberText(logins)}</td><td data-name=${overview.refusedLegend}>${numberText(refused)}</td></tr>`)}</tbody>
    </table></div></details>`;
}
