// GET / and /v3: the API versions, or JSON Home for clients that accept it. Browsers get a page at /.

import type { IncomingHttpHeaders } from 'node:http';
import { Answer, t } from '../../../platform/http/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { homeDocument } from './json-home.ts';

const tag = 'Discovery';
const Version = t.open({ id: t.string(), status: t.string(), updated: t.string() }, { links: t.array(t.open({})) });
const VersionList = t.open({}, { versions: t.object({ values: t.array(Version) }) });
const VersionEnvelope = t.open({}, { version: Version });
/** For clients that ask for JSON Home. */
const Home = t.open({}, { resources: t.open({}) });
const HOME = 'application/json-home';

/** The last numbered version of Keystone's v3 API; clients compare it. */
const VERSION = { id: 'v3.14', status: 'stable', updated: '2020-04-07T00:00:00Z' };

const versionDocument = (base: string) => ({
  ...VERSION,
  links: [{ rel: 'self', href: `${base}/v3/` }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
});

/** How much a client wants a media type, from 0 to 1 (RFC 9110, 12.5.1). */
function weightOf(accept: string, type: string): number {
  const ranges = new Map(
    accept.split(',').map((part): [string, number] => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      return [range, Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)];
    }),
  );
  return ranges.get(type) ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0;
}

const wantsHome = (accept = ''): boolean => weightOf(accept, HOME) > weightOf(accept, 'application/json');
/** What is answered depends on what the client accepts. */
const VARY = { Vary: 'Accept, X-Auth-Token' };
const home = (prefix: string): Answer =>
  new Answer({
    status: 200,
    headers: { 'Content-Type': HOME, ...VARY },
    text: JSON.stringify(homeDocument(prefix)),
  });

export interface DiscoveryDeps {
  readonly openid: {
    /** The page for browsers; undefined for programs. */
    homePage(headers: IncomingHttpHeaders): { readonly text: string; readonly headers: Record<string, string> } | undefined;
  };
}

export function mountDiscovery(app: IdentityApp, { openid }: DiscoveryDeps): void {
  app.get(
    '/',
    {
      id: 'listVersions',
      summary: 'List API versions',
      tag,
      rule: 'anyone',
      documentation: { otherTypes: [HOME, 'text/html'], replyHeaders: { Location: 'With 300: address of the version.' } },
      reply: { 300: VersionList, 200: Home },
    },
    ({ base, headers }) => {
      const page = openid.homePage(headers);
      if (page) return new Answer({ status: 200, ...page });
      return wantsHome(headers.accept)
        ? home('/v3')
        : new Answer({
            status: 300,
            headers: { Location: `${base}/v3/`, ...VARY },
            body: { versions: { values: [versionDocument(base)] } },
          });
    },
  );
  app.get(
    '/v3',
    {
      id: 'getVersion',
      summary: 'Show the version',
      tag,
      rule: 'anyone',
      documentation: { otherTypes: [HOME] },
      reply: { 200: VersionEnvelope },
    },
    ({ base, headers }) =>
      wantsHome(headers.accept) ? home('') : new Answer({ headers: VARY, body: { version: versionDocument(base) } }),
  );
}

t.name({ Version, VersionList, VersionEnvelope, JsonHome: Home });
