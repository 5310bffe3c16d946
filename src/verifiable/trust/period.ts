// When certificates are valid.
import type { X509Certificate } from 'node:crypto';

/** In seconds. */
export interface CertificatePeriod {
  readonly from: number;
  readonly until: number;
}

export const startOf = ({ validFromDate }: X509Certificate): number => Math.ceil(validFromDate.getTime() / 1000);
