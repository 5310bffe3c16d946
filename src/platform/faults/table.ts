// Faults that every HTTP service has. A service includes this table in its own.

export const platformFaults = {
  'request.malformed_json': { status: 400, text: 'The request body is not valid JSON: {why}.' },
  'request.not_an_object': { status: 400, text: 'The request body must be a JSON object.' },
  'request.invalid_field': { status: 400, text: "Invalid input for field '{field}': {why}." },
  'request.malformed_url': { status: 400, text: 'The request address is malformed: {why}.' },
  'request.unreadable': { status: 400, text: 'The request is not valid HTTP.' },
  'request.no_host': { status: 400, text: 'The request has no Host header.' },
  'route.not_found': { status: 404, text: 'The resource could not be found.' },
  'route.method_not_allowed': { status: 405, text: 'The method is not allowed for the requested URL.' },
  'request.timeout': { status: 408, text: 'The request took too long to arrive.' },
  'request.too_large': { status: 413, text: 'Request is too large.' },
  'request.media_type': { status: 415, text: 'The request body must be application/json.' },
  'request.charset': { status: 415, text: 'The request body must be UTF-8.' },
  'request.content_encoding': { status: 415, text: 'The request body must not be compressed.' },
  'request.too_many': { status: 429, text: 'Too many attempts. Try again in {seconds} seconds.' },
  'request.headers_too_large': { status: 431, text: 'Request header fields too large.' },
  'request.abandoned': { status: 499, text: 'The client closed the connection before the request was processed.' },
  'server.unexpected': {
    status: 500,
    text: 'An unexpected error prevented the server from fulfilling your request.',
  },
  'server.busy': { status: 503, text: 'The service is busy. Try again shortly.' },
  'server.read_only': { status: 503, text: 'The service cannot store changes at the moment. Try again shortly.' },
  'server.unavailable': { status: 503, text: 'The service cannot reach its database. Try again shortly.' },
} as const;
