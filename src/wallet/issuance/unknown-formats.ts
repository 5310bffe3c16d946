// Issuers may have formats, and types of proofs, that came later than this wallet. The library reads their algorithms by what today's are,
// and refuses all of the metadata for one that differs. What the wallet cannot use is taken out before.
import type { CallbackContext } from '@openid4vc/oauth2';
import { formatNamed } from '../../verifiable/formats/index.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names of all types of proofs stay: a refusal says them. */
const readableProofs = (types: Json): Json =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, name === 'jwt' ? type : { proof_signing_alg_values_supported: [] }]),
  );

function readable(configuration: unknown): unknown {
  if (!isObject(configuration) || typeof configuration.format !== 'string') return configuration;
  const { credential_signing_alg_values_supported: _, proof_types_supported: types, ...rest } = configuration;
  if (formatNamed(configuration.format) === undefined) return rest;
  return isObject(types) ? { ...configuration, proof_types_supported: readableProofs(types) } : configuration;
}

function readableMetadata(text: string): string {
  let metadata: unknown;
  try {
    metadata = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isObject(metadata) || !isObject(metadata.credential_configurations_supported)) return text;
  const configurations = Object.entries(metadata.credential_configurations_supported);
  return JSON.stringify({
    ...metadata,
    credential_configurations_supported: Object.fromEntries(configurations.map(([id, one]) => [id, readable(one)])),
  });
}

/** For metadata that are not signed: what is signed cannot be changed. */
export function withoutUnknownFormats(callbacks: CallbackContext): CallbackContext {
  return {
    ...callbacks,
    fetch: async (input, init) => {
      const response = await callbacks.fetch!(input, init);
      const isJson = /^application\/json\b/i.test(response.headers.get('content-type') ?? '');
      if (response.status !== 200 || !isJson) return response;
      const { status, headers } = response;
      return new Response(readableMetadata(await response.text()), { status, headers });
    },
  };
}
