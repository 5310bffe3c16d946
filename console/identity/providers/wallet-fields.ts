// What is asked of a new provider whose people show a credential from their wallet. More is changed in its settings.

import type { FormField, FormValues } from '../../shared/form.ts';
import { words } from '../words/index.ts';
import { linesOf } from './lines.ts';

/** As the API has them. */
const FORMATS = ['dc+sd-jwt', 'jwt_vc_json', 'mso_mdoc'] as const;

const pathOf = (text: string): string[] => text.split('.').filter(Boolean);

export function walletFields(): FormField[] {
  const { providers } = words;
  const { fields } = providers.walletTemplate;
  return [
    { name: 'name', label: fields.name, required: true, maxLength: 64 },
    {
      name: 'format',
      label: fields.format,
      type: 'select',
      required: true,
      options: FORMATS.map((format) => ({ value: format, label: providers.formats[format] })),
    },
    { name: 'types', label: fields.types, hint: fields.typesHint, type: 'textarea', required: true },
    { name: 'issuers', label: fields.issuers, hint: fields.issuersHint, type: 'textarea' },
    { name: 'roots', label: fields.roots, hint: fields.rootsHint, type: 'textarea' },
    { name: 'subject', label: fields.subject, hint: fields.subjectHint, required: true, value: 'sub' },
    { name: 'claims', label: fields.claims, hint: fields.claimsHint, type: 'textarea' },
    { name: 'name_claim', label: providers.nameClaim, hint: fields.nameHint, required: true, value: 'sub' },
  ];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export const walletOf = (values: FormValues): object => ({
  name: values.text('name'),
  credentials: [
    {
      format: values.text('format'),
      types: linesOf(values.text('types')),
      subject: pathOf(values.text('subject')),
      claims: linesOf(values.text('claims')).map(pathOf),
    },
  ],
  issuers: linesOf(values.text('issuers')),
  root_certificates: values.text('roots').match(CERTIFICATE) ?? [],
});
