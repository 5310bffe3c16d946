// The certificates that the service uses, with their end.
import { html, type TemplateResult } from 'lit';
import { table } from '../../shared/table.ts';
import { time } from '../../shared/time.ts';
import { words } from '../words/index.ts';

interface Certificate {
  readonly use: keyof typeof words.service.certificateUses;
  readonly of: { readonly id: string; readonly name: string } | null;
  readonly subject: string;
  readonly issuer: string;
  readonly fingerprint: string;
  readonly expires_at: string;
  readonly state: keyof typeof words.service.certificateStates;
  readonly renews: boolean;
}

export interface Certificates {
  readonly certificates: readonly Certificate[];
  readonly truncated: boolean;
}

const BADGES = { valid: 'good', expiring: 'warn', expired: 'bad', not_yet_valid: 'warn' } as const;

export function certificateList({ certificates, truncated }: Certificates): TemplateResult {
  const { service } = words;
  return html`<section>
    <h2>${service.certificates}</h2>
    <p class="soft">${service.certificatesIntro}${truncated ? html` ${service.certificatesMore}` : ''}</p>
    ${table<Certificate>({
      caption: service.certificates,
      rows: certificates,
      empty: html`<p>${service.noCertificates}</p>`,
      columns: [
        {
          name: service.certificate,
          isHeader: true,
          cell: ({ subject, fingerprint }) => html`<span title=${fingerprint}>${subject || fingerprint}</span>`,
        },
        {
          name: service.certificateUse,
          cell: ({ use, of }) => html`${service.certificateUses[use]}${of ? html` (${of.name})` : ''}`,
        },
        { name: service.certifiedBy, cell: ({ issuer }) => issuer },
        { name: service.certificateEnd, cell: ({ expires_at }) => time(expires_at) },
        {
          name: service.state,
          cell: ({ state, renews }) =>
            html`<span class="badge ${BADGES[state]}">${service.certificateStates[state]}</span>${renews ? html` ${service.certificateRenews}` : ''}`,
        },
      ],
    })}
  </section>`;
}
