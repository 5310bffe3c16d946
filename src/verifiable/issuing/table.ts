// All formats in which credentials are issued. Tables of others that have an entry for each are typed by these names, so that the compiler
// asks for them.
import type { FormatName } from '../formats/index.ts';
import type { IssuedFormat } from './issued-format.ts';
import { jwtVc } from './jwt-vc.ts';
import { mdoc } from './mdoc.ts';
import { olderSdJwt, sdJwt } from './sd-jwt.ts';

export const ISSUED_FORMATS = { 'dc+sd-jwt': sdJwt, 'vc+sd-jwt': olderSdJwt, jwt_vc_json: jwtVc, mso_mdoc: mdoc };

export type IssuedFormatName = keyof typeof ISSUED_FORMATS;
export const ISSUED_FORMAT_NAMES = Object.keys(ISSUED_FORMATS) as readonly IssuedFormatName[];

/** What was issued here and is shown in this format; undefined if nothing is issued in it. */
export const issuedFormatShownAs = (shown: FormatName): IssuedFormat | undefined =>
  Object.values(ISSUED_FORMATS).find(({ shownAs }) => shownAs === shown);
