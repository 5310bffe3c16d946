// A request as a command for a terminal.
import type { ApiDocument, Entry, SecurityScheme } from './document.ts';

/** In single quotes nothing is special to the shell but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** In double quotes variables are replaced: secrets come from the environment and not from the command. */
const withVariable = (text: string): string => `"${text}"`;

/** The header of a security scheme. */
function credential(scheme: SecurityScheme | undefined): string[] {
  if (!scheme) return [];
  if (scheme.scheme === 'basic') return ['-u "$CLIENT_ID:$CLIENT_SECRET"'];
  if (scheme.scheme === 'bearer') return [`-H ${withVariable('Authorization: Bearer $TOKEN')}`];
  if (scheme.in === 'cookie') return [`-b ${withVariable(`${scheme.name}=$SESSION`)}`];
  return [`-H ${withVariable(`${scheme.name}: $TOKEN`)}`];
}

const form = (example: unknown): string =>
  new URLSearchParams(
    Object.entries((example ?? {}) as Record<string, unknown>).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

function body({ operation }: Entry): string[] {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return [];
  const text = type.includes('json') ? JSON.stringify(media?.example ?? {}) : form(media?.example);
  return [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${quoted(text)}`];
}

/** A required parameter stands in the address as its name: `<user_id>`. */
export function curlOf(entry: Entry, { servers, components }: ApiDocument): string {
  const { method, path, operation } = entry;
  const needed = (operation.parameters ?? []).filter(({ required }) => required);
  const query = needed.filter((one) => one.in === 'query').map(({ name }) => `${name}=<${name}>`);
  const address = `${servers[0]?.url ?? ''}${path.replace(/\{(\w+)\}/g, '<$1>')}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const [scheme] = operation.security.flatMap((one) => Object.keys(one));
  const parts = [
    `curl ${method === 'HEAD' ? '-I' : method === 'GET' ? '-i' : `-i -X ${method}`} ${quoted(address)}`,
    ...(scheme === undefined ? [] : credential(components.securitySchemes[scheme])),
    ...needed
      .filter((one) => one.in === 'header')
      .map(({ name }) => `-H ${withVariable(`${name}: $${name.replace(/\W/g, '_').toUpperCase()}`)}`),
    ...body(entry),
  ];
  return parts.join(' \\\n  ');
}
