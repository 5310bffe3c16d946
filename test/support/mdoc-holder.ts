// Shows an mdoc (OID4VP 1.0, B.2) as the standards say it, with nothing but CBOR of the library.
import { createHash, type KeyObject, sign } from 'node:crypto';
import { cborDecode, cborEncode, DataItem } from '@owf/mdoc';

type CborMap = Map<unknown, any>;

export interface MdocTwist {
  /** Whether an element is shown; without any, there are no namespaces. */
  isShown?(namespace: string, element: string): boolean;
  /** What the session transcript is made of: client id, nonce, thumbprint, response address. */
  session?(info: unknown[]): void;
  /** The document before it is sent. */
  document?(document: CborMap): void;
  /** The response before it is encoded. */
  response?(response: CborMap): void;
}

export const readIssued = (raw: string): CborMap => cborDecode(Buffer.from(raw, 'base64url')) as CborMap;

/** What the issuer signed about the whole. */
export const securityObjectOf = (raw: string): CborMap => cborDecode(readIssued(raw).get('issuerAuth')[2]) as CborMap;

export const doctypeOf = (raw: string): string => securityObjectOf(raw).get('docType');

export interface MdocSession {
  readonly clientId: string;
  readonly nonce: string;
  /** Of the key that the answer is encrypted for. */
  readonly thumbprint: Buffer;
  readonly responseUri: string;
}

export function deviceResponse(
  raw: string,
  { clientId, nonce, thumbprint, responseUri }: MdocSession,
  key: KeyObject,
  { isShown = () => false, ...twist }: MdocTwist = {},
): string {
  const issued = readIssued(raw);
  const docType = doctypeOf(raw);
  const shown = [...(issued.get('nameSpaces') as Map<string, DataItem<CborMap>[]>)]
    .map(([name, items]) => [name, items.filter((item) => isShown(name, item.data.get('elementIdentifier')))] as const)
    .filter(([, items]) => items.length > 0);
  const info: unknown[] = [clientId, nonce, thumbprint, responseUri];
  twist.session?.(info);
  const handover = ['OpenID4VPHandover', createHash('sha256').update(cborEncode(info)).digest()];
  const nameSpaces = DataItem.fromData(new Map());
  const session = cborEncode(DataItem.fromData(['DeviceAuthentication', [null, null, handover], docType, nameSpaces]));
  const header = cborEncode(new Map([[1, -7]]));
  const signed = Buffer.from(cborEncode(['Signature1', header, new Uint8Array(), session]));
  const signature = sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' });
  const document: CborMap = new Map<unknown, any>([
    ['docType', docType],
    [
      'issuerSigned',
      new Map<string, unknown>([
        ...(shown.length > 0 ? [['nameSpaces', new Map(shown)] as const] : []),
        ['issuerAuth', issued.get('issuerAuth')],
      ]),
    ],
    [
      'deviceSigned',
      new Map<string, unknown>([
        ['nameSpaces', nameSpaces],
        ['deviceAuth', new Map([['deviceSignature', [header, new Map(), null, signature]]])],
      ]),
    ],
  ]);
  twist.document?.(document);
  const response: CborMap = new Map<unknown, any>([
    ['version', '1.0'],
    ['documents', [document]],
    ['status', 0],
  ]);
  twist.response?.(response);
  return Buffer.from(cborEncode(response)).toString('base64url');
}
