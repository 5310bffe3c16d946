// The requests that make sense for every kind of thing: create, list, read, change, delete, each also in ways that must be refused.
import { type ApiRequest, del, get, head, patch, post, preflight, put } from './request.ts';

export interface TourOf {
  /** Of the collection. */
  readonly path: string;
  /** The key of one thing in a body. */
  readonly one: string;
  /** Under this name the id is kept. */
  readonly name: string;
  readonly good: object;
  /** Created by PUT under this id instead of by POST. */
  readonly id?: string;
  /** Parts that make `good` bad. `undefined` takes a field away. */
  readonly bad: readonly object[];
  readonly change?: object;
  readonly badChanges?: readonly object[];
  /** Query strings for the list. */
  readonly filters?: readonly string[];
  /** What has to be changed before it can be deleted. */
  readonly beforeDeletion?: object;
  /** The second one like it: refused, unless names may repeat. */
  readonly again?: boolean;
}

const LIST_QUERIES = [
  'no_such_filter=x',
  'limit=1',
  'limit=0',
  'limit=-1',
  'limit=abc',
  'limit=1&limit=2',
  'marker=no-such-marker',
  'sort_key=name',
  'name__contains=o',
  'name__no_such=o',
];

const NOT_JSON = { 'content-type': 'application/json' };

function broken(send: (body: unknown, extra?: object) => ApiRequest, one: string, good: object): ApiRequest[] {
  return [
    send({}),
    send({ [one]: {} }),
    send({ [one]: 'text' }),
    send({ [one]: [] }),
    send({ [one]: null }),
    send({ wrong: good }),
    send([]),
    send(undefined),
    send(undefined, { raw: '{"broken', headers: NOT_JSON }),
    send(undefined, { raw: '"text"', headers: NOT_JSON }),
    send(undefined, { raw: JSON.stringify({ [one]: good }), headers: { 'content-type': 'text/plain' } }),
  ];
}

const readsOf = ({ path }: TourOf, member: string): ApiRequest[] => [
  get(member),
  head(member),
  get(`${member}?no_such=1`),
  get(member, { as: 'nobody' }),
  get(member, { as: 'stranger' }),
  get(`${path}/no-such-id`),
  head(`${path}/no-such-id`),
  put(member, {}),
  post(member, {}),
  preflight(member),
];

const listsOf = ({ path, filters = [] }: TourOf): ApiRequest[] => [
  get(path),
  head(path),
  get(`${path}/`),
  ...[...filters, ...LIST_QUERIES].map((query) => get(`${path}?${query}`)),
  get(path, { as: 'nobody' }),
  get(path, { as: 'stranger' }),
  del(path),
  preflight(path),
];

function changesOf({ path, one, change, badChanges = [] }: TourOf, member: string): ApiRequest[] {
  if (!change) return [patch(member, { [one]: { description: 'x' } })];
  return [
    patch(member, { [one]: change }),
    patch(member, { [one]: change }),
    patch(member, { [one]: { ...change, id: 'another-id' } }),
    ...badChanges.map((each) => patch(member, { [one]: each })),
    ...broken((body, extra) => patch(member, body, extra), one, change),
    patch(`${path}/no-such-id`, { [one]: change }),
    patch(member, { [one]: change }, { as: 'nobody' }),
  ];
}

export function tour(things: TourOf): ApiRequest[] {
  const { path, one, name, good, id, bad, beforeDeletion, again = true } = things;
  const member = `${path}/{${name}}`;
  const keep = { [name]: `${one}.id` };
  const create = (body: unknown, extra: object = {}): ApiRequest =>
    id === undefined ? post(path, body, extra) : put(`${path}/${id}`, body, extra);
  const other = (part: object): ApiRequest =>
    id === undefined ? post(path, { [one]: { ...good, ...part } }) : put(`${path}/bad-${id}`, { [one]: { ...good, ...part } });
  // Each at an address of its own: what one of the two takes must not be in the way of the rest.
  let count = 0;
  const createBroken = (body: unknown, extra: object = {}): ApiRequest =>
    id === undefined ? post(path, body, extra) : put(`${path}/broken-${++count}-${id}`, body, extra);
  return [
    ...broken(createBroken, one, good),
    ...bad.map(other),
    create({ [one]: good }, { as: 'nobody' }),
    create({ [one]: good }, { keep }),
    ...(again ? [create({ [one]: good })] : []),
    ...listsOf(things),
    ...readsOf(things, member),
    ...changesOf(things, member),
    ...(beforeDeletion ? [del(member), patch(member, { [one]: beforeDeletion })] : []),
    del(member, { as: 'nobody' }),
    del(member),
    del(member),
    get(member),
    del(`${path}/no-such-id`),
  ];
}
