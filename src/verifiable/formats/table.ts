// All credential formats. Tables of others that have an entry for each are typed by these names, so that the compiler asks for them.
import type { FormatName } from './format.ts';
import { jwtVc } from './jwt-vc.ts';
import { ldpVc } from './ldp-vc.ts';
import { mdoc } from './mdoc.ts';
import { sdJwt } from './sd-jwt.ts';

export const FORMATS = { 'dc+sd-jwt': sdJwt, jwt_vc_json: jwtVc, mso_mdoc: mdoc, ldp_vc: ldpVc } satisfies Record<
  FormatName,
  unknown
>;
