// Which refusals an operation may answer with: those that follow from its route, and those of its own.
import { Fault, type FaultTable } from '../../src/platform/faults/index.ts';
import type { DocumentedRoute, ErrorFormat, Schema } from '../../src/platform/http/index.ts';
import { STATUS_CODES } from '../../src/platform/node-http.ts';
import type { Components } from './components.ts';

/** The errors of a group of routes, which share a format. */
export interface ErrorFamily {
  /** Beginning of the names of its responses; empty for the usual one. */
  readonly prefix: string;
  readonly schema: Schema;
  readonly type: string;
  /** None for pages. */
  readonly format?: ErrorFormat;
  /** What clients get that do not ask for this type. */
  readonly otherwise?: ErrorFamily;
}

/** Nobody has to authenticate. A route with `access` checks that itself, if its rule is `anyone`. */
export const isForAnyone = ({ rule, access }: DocumentedRoute['spec']): boolean => rule === 'anyone' && access === undefined;

export interface RefusalOptions {
  /** By the schema in the documentation of a route; undefined for the usual one. */
  errorsOf(schema: Schema | undefined): ErrorFamily;
  readonly faults: FaultTable;
  /** A fault as clients see it. */
  codeOf(fault: string): string;
  /** Refusals that do not follow from a route: faults by the id of its operation. */
  readonly refusals: Readonly<Record<string, readonly string[]>>;
  /** Rules that everybody with a token passes. */
  isForEverybody(rule: string): boolean;
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'The request is not valid; the message names what is wrong.',
  401: 'The caller is not known: there is no token, or it is not valid any more.',
  403: 'The caller may not do this.',
  404: 'What the path names does not exist.',
  409: 'The request conflicts with the present state.',
  410: 'It has expired.',
  412: 'The resource was changed since the version that If-Match names.',
  413: 'The body is too large.',
  415: 'The body has a media type that is not read here.',
  422: 'The request can be read, and cannot be done.',
  429: 'Too many attempts; Retry-After says when to try again.',
  502: 'Another service answered with an error.',
  503: 'It cannot be answered now; Retry-After says when to try again.',
  504: 'Another service did not answer in time.',
};

/** What a message says where it has a value. */
const messageOf = (text: string): string => text.replace(/\{(\w+)\}/g, '<$1>');
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Faults that are told by the words of their status alone. */
const GENERAL =
  /^(request\.|auth\.required$|auth\.forbidden$|not-authenticated$|forbidden$|invalid-request$|not-found$|server\.)/;

export class Refusals {
  readonly #options: RefusalOptions;
  readonly #components: Components;
  readonly #shared = new Map<string, unknown>();

  constructor(options: RefusalOptions, components: Components) {
    this.#options = options;
    this.#components = components;
  }

  /** The refusals of an operation, but for statuses that have a schema of their own. */
  of(route: DocumentedRoute, id: string, taken: ReadonlySet<string>): Record<string, unknown> {
    const family = this.#options.errorsOf(route.spec.documentation?.error);
    const own = this.#ownFaults(route, id);
    const statuses = [...new Set([...this.#statusesOf(route), ...own.keys()])].sort((one, other) => one - other);
    return {
      ...Object.fromEntries(
        statuses
          .filter((status) => !taken.has(String(status)))
          .map((status) => [status, this.#response(family, status, own.get(status) ?? [])]),
      ),
      default: this.#shareOf(family, undefined),
    };
  }

  /** Any request can be malformed. A token is asked for before a body is read, a body before its target is looked for. */
  #statusesOf({ path, spec, target }: DocumentedRoute): number[] {
    const { rule, body, documentation = {} } = spec;
    const needsCaller = !isForAnyone(spec);
    const mayRefuse = rule !== undefined && rule !== 'anyone' && !this.#options.isForEverybody(rule);
    return [
      400,
      ...(needsCaller ? [401] : []),
      ...(mayRefuse ? [403] : []),
      ...(target !== undefined && path.includes(':') ? [404] : []),
      ...(documentation.headers?.['If-Match'] ? [412] : []),
      ...(body ? [413, 415] : []),
    ];
  }

  #ownFaults({ spec }: DocumentedRoute, id: string): Map<number, string[]> {
    const { refusals, faults } = this.#options;
    const byStatus = new Map<number, string[]>();
    for (const code of spec.documentation?.refusals ?? refusals[id] ?? []) {
      const fault = faults[code];
      if (!fault) throw new Error(`${id}: there is no fault ${code}`);
      byStatus.set(fault.status, [...(byStatus.get(fault.status) ?? []), code]);
    }
    return byStatus;
  }

  #response(family: ErrorFamily, status: number, codes: readonly string[]): unknown {
    const special = codes.filter((code) => !GENERAL.test(code));
    if (special.length === 0) return this.#shareOf(family, status);
    const { faults, codeOf } = this.#options;
    const reasons = special.map((code) => `- \`${codeOf(code)}\`: ${sentence(messageOf(faults[code]!.text))}`);
    const description = `${WORDS[status] ?? STATUS_CODES[status]}\n\n${reasons.join('\n')}`;
    return { description, ...this.#content(family, status, special[0]!) };
  }

  /** With an example: the fault as the service would send it. */
  #content(family: ErrorFamily, status: number, code: string): { readonly content: Record<string, unknown> } {
    const { schema, type, format, otherwise } = family;
    const { text } = this.#options.faults[code] ?? { text: WORDS[status] ?? 'The message says why.' };
    const values = Object.fromEntries([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, `<${name}>`]));
    const example = format?.(new Fault(code, { status, text }, values), '', '');
    const shown = example && 'body' in example ? { example: example.body } : {};
    const others = otherwise ? this.#content(otherwise, status, code).content : {};
    return { content: { [type]: { schema: this.#components.use(schema), ...shown }, ...others } };
  }

  /** A response that many operations share. */
  #shareOf(family: ErrorFamily, status: number | undefined): unknown {
    const title = status === undefined ? 'Error' : (STATUS_CODES[status] ?? String(status)).replace(/\W/g, '');
    const name = `${family.prefix}${title}`;
    if (!this.#shared.has(name)) {
      const code = status === undefined ? 'server.unexpected' : (GENERAL_FAULTS[status] ?? '');
      const description = status === undefined ? 'Any other refusal or failure; the message says why.' : (WORDS[status] ?? title);
      this.#shared.set(name, { description, ...this.#content(family, status ?? 500, code) });
    }
    return { $ref: `#/components/responses/${name}` };
  }

  toJson(): Record<string, unknown> {
    return Object.fromEntries([...this.#shared].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** Examples of the shared responses. Not every service has all of them. */
const GENERAL_FAULTS: Readonly<Record<number, string>> = {
  400: 'request.invalid_field',
  401: 'auth.required',
  403: 'auth.forbidden',
  404: 'route.not_found',
  412: 'resource.changed',
  413: 'request.too_large',
  415: 'request.media_type',
};
