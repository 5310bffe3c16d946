// The JSON of credentials.
import { type Static, t } from '../../platform/http/index.ts';
import { FORMAT_NAMES, FORMATS, formatNamed } from '../../verifiable/formats/index.ts';
import type { CredentialRow } from '../ground/database.ts';
import { described, flag, pageQuery, time } from '../resource/index.ts';
import type { CredentialContent } from './credential-content.ts';
import { ClaimLabel, Display, displaysOf } from './display.ts';
import { Logo } from './logo.ts';

export const STATUSES = ['valid', 'expired', 'revoked', 'suspended', 'unknown'] as const;

export const Credential = t.object(
  {
    id: t.string({ examples: ['cred_01KA2Z9Q1V8YB3T5M7N9P1R3S5'] }),
    format: t.string({ examples: [FORMAT_NAMES[0]] }),
    type: t.string(),
    types: t.array(t.string()),
    issuer: t.object({ id: t.string(), verified: t.boolean(), trust: t.string() }, { name: t.string(), logo: Logo }),
    holder: t.object({ binding: t.string() }, { keyId: t.string(), did: t.string() }),
    claims: t.record(t.unknown()),
    status: t.oneOf(...STATUSES),
    presentable: t.boolean(),
    credentialIssuer: t.string(),
    credentialConfigurationId: t.string(),
    addedAt: t.string({ format: 'date-time' }),
    instances: t.integer({ description: 'Copies that are left. Each is shown to one verifier only.' }),
    displays: t.array(Display, {
      description:
        'How the issuer names it and what it looks like, by language; where the issuer is silent, as the metadata of its type say.',
    }),
    labels: t.array(ClaimLabel, { description: 'How the issuer names its claims.' }),
  },
  {
    subject: t.string(),
    issuedAt: t.string({ format: 'date-time' }),
    validFrom: t.string({ format: 'date-time' }),
    validUntil: t.string({ format: 'date-time' }),
    statusCheckedAt: t.string({ format: 'date-time' }),
    display: t.record(t.unknown(), { description: 'The first display entry of the issuer, as it is.' }),
    damaged: t.boolean({ description: 'It can no longer be read; purge it.' }),
    raw: t.array(t.unknown()),
  },
);
export const CredentialList = t.array(Credential);

export const CredentialQuery = t.object(
  {},
  {
    ...pageQuery,
    type: t.string({ maxLength: 500, description: 'Only credentials of this type.' }),
    format: t.string({ maxLength: 50, description: `Only credentials of this format, such as \`${FORMAT_NAMES[0]}\`.` }),
    issuer: t.string({ maxLength: 500, description: 'Only credentials of this issuer.' }),
    keyId: t.string({ maxLength: 40, description: 'Only credentials with a copy that is bound to this key.' }),
    status: described(t.oneOf(...STATUSES), 'Only credentials with this status.'),
    include: described(t.oneOf('raw'), '`raw`: also the credentials as the issuer signed them.'),
    refreshStatus: described(flag, 'true: ask the issuers for the status first.'),
  },
);

const maybe = (name: string, milliseconds: number | null) => (milliseconds === null ? {} : { [name]: time(milliseconds) });

export interface CredentialDetails {
  readonly row: CredentialRow;
  readonly content: CredentialContent;
  /** The content can no longer be read. */
  readonly isDamaged: boolean;
  readonly did: string | undefined;
  /** The key of the copy that is shown next. */
  readonly keyId: string | undefined;
  readonly keyState: string | undefined;
  readonly instances: number;
  /** The raw credentials, if they were requested. */
  readonly raw?: readonly unknown[];
  readonly now: number;
}

export function renderCredential({
  row,
  content,
  isDamaged,
  did,
  keyId,
  keyState,
  instances,
  raw,
  now,
}: CredentialDetails): Static<typeof Credential> {
  const status = row.valid_until !== null && row.valid_until <= now ? 'expired' : (row.status as (typeof STATUSES)[number]);
  const format = formatNamed(row.format);
  const isShownUnbound = format !== undefined && !FORMATS[format].holder.alwaysSigns;
  const isHeld = row.binding === 'none' ? isShownUnbound : keyState === 'active' || keyState === 'rotated';
  const hasBegun = row.valid_from === null || row.valid_from <= now;
  return {
    id: row.id,
    format: row.format,
    type: row.type,
    types: [...content.types],
    issuer: content.issuer,
    ...(content.subject === undefined ? {} : { subject: content.subject }),
    holder: {
      ...(keyId === undefined ? {} : { keyId }),
      ...(did === undefined ? {} : { did }),
      binding: row.binding,
    },
    claims: { ...content.claims },
    ...maybe('issuedAt', row.issued_at),
    ...maybe('validFrom', row.valid_from),
    ...maybe('validUntil', row.valid_until),
    status,
    ...maybe('statusCheckedAt', row.status_checked_at),
    presentable: !isDamaged && isHeld && hasBegun && (status === 'valid' || status === 'unknown'),
    ...(content.display === undefined ? {} : { display: { ...content.display } }),
    credentialIssuer: content.credentialIssuer,
    credentialConfigurationId: content.credentialConfigurationId,
    addedAt: time(row.added_at),
    instances,
    displays: [...(content.description?.displays ?? displaysOf([content.display]))],
    labels: [...(content.description?.labels ?? [])],
    ...(isDamaged ? { damaged: true } : {}),
    ...(raw ? { raw: [...raw] } : {}),
  };
}

t.name({ Credential, CredentialList });
