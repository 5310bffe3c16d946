// Problem details (RFC 9457), and the headers every answer of the wallet node carries.
import { type ErrorFormat, t } from '../../platform/http/index.ts';
import { STATUS_CODES } from '../../platform/node-http.ts';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Answers are never pages. A browser that displays one must not run or embed anything. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Problem codes for faults of the platform, by status. Faults of this service have their own codes. */
const WORDS: Readonly<Record<number, string>> = {
  400: 'invalid-request',
  404: 'not-found',
  405: 'method-not-allowed',
  408: 'request-timeout',
  413: 'too-large',
  415: 'unsupported-media-type',
  429: 'rate-limited',
  431: 'headers-too-large',
  500: 'unexpected',
  503: 'not-ready',
};

/** The problem code of a fault. */
export const problemCode = (code: string, status: number): string =>
  code.includes('.') ? (WORDS[status] ?? 'unexpected') : code.split('/', 1)[0]!;

export const problemErrors: ErrorFormat = ({ status, code: faultCode, message, values, detail }, _base, requestId) => {
  const code = problemCode(faultCode, status);
  return {
    body: {
      type: `urn:gatehouse:problem:${code}`,
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      ...(requestId ? { instance: requestId } : {}),
      code,
      ...(faultCode === 'request.invalid_field' ? { errors: [{ field: values.field, message: values.why }] } : {}),
      ...detail,
    },
    headers: { 'Content-Type': 'application/problem+json' },
  };
};

export const Problem = t.open(
  { type: t.string(), title: t.string(), status: t.integer(), detail: t.string(), code: t.string() },
  {
    instance: t.string({ description: 'The request id, as it is in the log.' }),
    errors: t.array(t.object({ field: t.string(), message: t.string() })),
    protocol: t.object({ error: t.string() }, { error_description: t.string(), endpoint: t.string() }),
    exchangeId: t.string(),
    steps: t.array(t.open({ at: t.string(), step: t.string() }), { description: 'What happened in the exchange so far.' }),
    temporary: t.boolean({ description: 'The same request may succeed later.' }),
  },
);

t.name({ Problem });
