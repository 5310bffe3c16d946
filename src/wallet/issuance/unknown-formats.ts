// Issuers may have formats, and types of proofs, that came later than this wallet. The library reads their algorithms by what today's are,
// and refuses all of the metadata for one that differs, or for a picture whose address it cannot read. What the wallet cannot use is taken out before.
import type { CallbackContext } from '@openid4vc/oauth2';
import { formatNamed } from '../../verifiable/formats/index.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names of all types of proofs stay: a refusal says them. */
const readableProofs = (types: Json): Json =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, name === 'jwt' ? type : { proof_signing_alg_values_supported: [] }]),
  );

const PICTURES = ['logo', 'background_image'];

/** Such as `data:image/svg+xml`, which the library takes for no address. */
function isReadablePicture(picture: unknown): boolean {
  if (!isObject(picture)) return false;
  const addresses = [picture.uri, picture.url].filter((one) => one !== undefined);
  return addresses.every(
    (one) => typeof one === 'string' && (/^data:[\w/.-]+;\w+,/.test(one) || /^https?:$/.test(URL.parse(one)?.protocol ?? '')),
  );
}

/** A credential is worth more than its logo. */
function withReadablePictures(about: Json): Json {
  const { display } = about;
  if (!Array.isArray(display)) return about;
  const entries = display.map((one: unknown) =>
    isObject(one)
      ? Object.fromEntries(Object.entries(one).filter(([name, value]) => !PICTURES.includes(name) || isReadablePicture(value)))
      : one,
  );
  return { ...about, display: entries };
}

function readable(one: unknown): unknown {
  if (!isObject(one) || typeof one.format !== 'string') return one;
  const metadata = isObject(one.credential_metadata)
    ? { credential_metadata: withReadablePictures(one.credential_metadata) }
    : {};
  const configuration: Json = { ...withReadablePictures(one), ...metadata };
  const { credential_signing_alg_values_supported: _, proof_types_supported: types, ...rest } = configuration;
  if (formatNamed(one.format) === undefined) return rest;
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
    ...withReadablePictures(metadata),
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
