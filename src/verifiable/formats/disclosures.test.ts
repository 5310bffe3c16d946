import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { deepJson } from '../../../test/support/issuers.ts';
import * as rfc from '../../../test/support/rfc9901.ts';
import { decodeJws } from '../jose/index.ts';
import { claimsOf, decodeDisclosures, selectDisclosures } from './disclosures.ts';
import { CredentialRejectedError } from './format.ts';

const encode = (parts: unknown): string =>
  Buffer.from(typeof parts === 'string' ? parts : JSON.stringify(parts)).toString('base64url');
const digestOf = (disclosure: string): string => createHash('sha256').update(disclosure).digest('base64url');
const open = (payload: object, disclosures: readonly string[]) =>
  decodeDisclosures(payload as Record<string, unknown>, disclosures, 'sha256');

const malformed = (payload: object, disclosures: readonly string[], why: RegExp): void => {
  assert.throws(
    () => open(payload, disclosures),
    (error) => error instanceof CredentialRejectedError && error.code === 'malformed' && why.test(error.message),
  );
};

describe('The main example of RFC 9901', () => {
  const { payload } = decodeJws(rfc.MAIN_JWT);
  const all = Object.values(rfc.MAIN_DISCLOSURES);

  it('opens to the claims of its user', () => {
    assert.deepEqual(claimsOf(open(payload, all)), {
      iss: 'https://issuer.example.com',
      iat: 1683000000,
      exp: 1883000000,
      sub: 'user_42',
      given_name: 'John',
      family_name: 'Doe',
      email: 'johndoe@example.com',
      phone_number: '+1-202-555-0101',
      phone_number_verified: true,
      address: { street_address: '123 Main St', locality: 'Anytown', region: 'Anystate', country: 'US' },
      birthdate: '1940-01-01',
      updated_at: 1570000000,
      nationalities: ['US', 'DE'],
      cnf: { jwk: rfc.HOLDER_JWK },
    });
  });

  it('shows what its presentation shows', () => {
    const { family_name, address, given_name, US } = rfc.MAIN_DISCLOSURES;
    const chosen = selectDisclosures(open(payload, all), [['family_name'], ['address'], ['given_name'], ['nationalities', 0]]);
    assert.deepEqual(chosen, new Set([family_name, address, given_name, US]));
    const presented = [rfc.MAIN_JWT, family_name, address, given_name, US, ''].join('~');
    assert.equal(digestOf(presented), decodeJws(rfc.MAIN_KB_JWT).payload.sd_hash);
  });
});

describe('Disclosures', () => {
  const name = encode(['salt', 'name', 'Ada']);
  const item = encode(['salt', 'one']);

  it('belong to a digest each', () => {
    malformed({ _sd: [] }, [name], /belongs to nothing/);
    malformed({ _sd: [digestOf(name)] }, [name, name], /there twice/);
    malformed({ _sd: [digestOf(name)], a: { _sd: [digestOf(name)] } }, [name], /digest is there twice/);
    malformed({ _sd: ['decoy', 'decoy'] }, [], /digest is there twice/);
    const holding = encode(['salt', 'a', { _sd: [digestOf(name)] }]);
    malformed({ _sd: [digestOf(holding), digestOf(name)] }, [holding, name], /digest is there twice/);
  });

  it('are claims in objects and elements in lists, and never the other', () => {
    malformed({ _sd: [digestOf(item)] }, [item], /no name/);
    malformed({ a: [{ '...': digestOf(name) }] }, [name], /has a name/);
    malformed({ a: { '...': digestOf(item) } }, [item], /name it may not have/);
    malformed({ a: [{ '...': digestOf(item), more: 1 }] }, [item], /more than its digest/);
  });

  it('replace nothing that is there', () => {
    malformed({ name: 'Eve', _sd: [digestOf(name)] }, [name], /claim is there twice/);
    const again = encode(['other salt', 'name', 'Eve']);
    malformed({ _sd: [digestOf(name), digestOf(again)] }, [name, again], /claim is there twice/);
  });

  it('have names that mean nothing else', () => {
    for (const reserved of ['_sd', '...', '__proto__', 'constructor', 'prototype']) {
      const one = encode(['salt', reserved, {}]);
      malformed({ _sd: [digestOf(one)] }, [one], /name it may not have/);
    }
    const transaction = encode('["salt","a",{"__proto__":{"admin":true}}]');
    malformed({ _sd: [digestOf(transaction)] }, [transaction], /not one/);
  });

  it('are lists of two or three, in base64url', () => {
    for (const parts of [{}, [], ['salt'], ['salt', 'a', 1, 2], [1, 'a', 1], ['salt', 1, 1], null, 'text']) {
      const one = encode(JSON.stringify(parts));
      malformed({ _sd: [digestOf(one)] }, [one], /not one/);
    }
    malformed({ _sd: [] }, [''], /base64url/);
    malformed({ _sd: [digestOf(`${name}=`)] }, [`${name}=`], /base64url/);
    assert.throws(() => open({ _sd: [digestOf(encode('{'))] }, [encode('{')]), SyntaxError);
  });

  it('have digests that are texts in a list', () => {
    malformed({ _sd: 'x' }, [], /not a list/);
    malformed({ _sd: [7] }, [], /not a text/);
    malformed({ a: [{ '...': 7 }] }, [], /not a text/);
  });

  it('are bounded in number and depth, also when one is in the other', () => {
    malformed({ _sd: [] }, Array(1001).fill(name), /too many/);
    const deep = encode(`["salt","a",${deepJson(10_000)}]`);
    malformed({ _sd: [digestOf(deep)] }, [deep], /not one/);
    const nested = [encode(['salt', 'a', 1])];
    for (let level = 0; level < 50; level++) nested.unshift(encode(['salt', 'a', { _sd: [digestOf(nested[0]!)] }]));
    malformed({ _sd: [digestOf(nested[0]!)] }, nested, /too deeply/);
  });

  it('may be missing, or decoys', () => {
    assert.deepEqual(claimsOf(open({ _sd: ['decoy'], a: [{ '...': 'other decoy' }, 1], _sd_alg: 'sha-256' }, [])), { a: [1] });
  });
});

describe('Selecting disclosures', () => {
  it('does not take a claim with a dot for one inside another', () => {
    const dotted = encode(['salt', 'a.b', 'secret']);
    const inner = encode(['salt', 'b', 'asked']);
    const root = open({ _sd: [digestOf(dotted)], a: { _sd: [digestOf(inner)] } }, [dotted, inner]);
    assert.deepEqual(selectDisclosures(root, [['a', 'b']]), new Set([inner]));
    assert.deepEqual(selectDisclosures(root, [['a.b']]), new Set([dotted]));
  });

  it('counts elements that can be seen, not decoys', () => {
    const [first, second] = [encode(['salt', 'first']), encode(['salt', 'second'])];
    const root = open({ list: [{ '...': 'decoy' }, { '...': digestOf(first) }, { '...': digestOf(second) }] }, [first, second]);
    assert.deepEqual(selectDisclosures(root, [['list', 0]]), new Set([first]));
    assert.deepEqual(selectDisclosures(root, [['list', 1]]), new Set([second]));
    assert.deepEqual(selectDisclosures(root, [['list', 2]]), new Set());
    assert.deepEqual(selectDisclosures(root, [['list', null]]), new Set([first, second]));
  });

  it('shows what leads to a claim, and nothing on a way that leads nowhere', () => {
    const street = encode(['salt', 'street', 'Main St']);
    const city = encode(['salt', 'city', 'Anytown']);
    const address = encode(['salt', 'address', { _sd: [digestOf(street), digestOf(city)] }]);
    const root = open({ _sd: [digestOf(address)] }, [address, street, city]);
    assert.deepEqual(selectDisclosures(root, [['address', 'street']]), new Set([address, street]));
    assert.deepEqual(selectDisclosures(root, [['address']]), new Set([address, street, city]));
    for (const path of [['address', 'planet'], ['address', 0], ['address', null], ['address', 'street', 'x'], ['toString'], [0]])
      assert.deepEqual(selectDisclosures(root, [path]), new Set(), JSON.stringify(path));
    assert.deepEqual(selectDisclosures(root, []), new Set());
  });
});

// Claims in which every value says whether it can be held back, and values are the paths they stand at.
type Tree =
  | { hidden: boolean; kind: 'leaf' }
  | { hidden: boolean; kind: 'object'; of: [string, Tree][] }
  | { hidden: boolean; kind: 'list'; of: (Tree | 'decoy')[] };
type Path = (string | number)[];

const names = fc.constantFrom('a', 'b', 'a.b', '0', '1', 'a.0', 'length', 'toString');
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ hidden: fc.boolean(), kind: fc.constant('leaf' as const) }),
    fc.record({
      hidden: fc.boolean(),
      kind: fc.constant('object' as const),
      of: fc.uniqueArray(fc.tuple(names, tie('tree')), { selector: ([name]) => name, maxLength: 4 }),
    }),
    fc.record({
      hidden: fc.boolean(),
      kind: fc.constant('list' as const),
      of: fc.array(fc.oneof({ weight: 3, arbitrary: tie('tree') }, fc.constant('decoy' as const)), { maxLength: 4 }),
    }),
  ),
}));

interface Made {
  readonly value: unknown;
  readonly plain: unknown;
}

/** Issues a tree: an issuer of its own, with disclosures by the path of what they hide. */
function issue(root: Tree) {
  const disclosures: { path: Path; encoded: string }[] = [];
  const salt = (): string => randomBytes(8).toString('hex');
  const hide = (path: Path, parts: unknown[]): string => {
    const encoded = encode(parts);
    disclosures.push({ path, encoded });
    return digestOf(encoded);
  };
  function make(node: Tree, path: Path): Made {
    if (node.kind === 'leaf') return { value: JSON.stringify(path), plain: JSON.stringify(path) };
    if (node.kind === 'list') {
      const value: unknown[] = [];
      const plain: unknown[] = [];
      for (const child of node.of) {
        if (child === 'decoy') value.push({ '...': salt() });
        else {
          const at = [...path, plain.length];
          const made = make(child, at);
          plain.push(made.plain);
          value.push(child.hidden ? { '...': hide(at, [salt(), made.value]) } : made.value);
        }
      }
      return { value, plain };
    }
    const value: Record<string, unknown> = {};
    const plain: Record<string, unknown> = {};
    const digests = [salt()];
    for (const [name, child] of node.of) {
      const at = [...path, name];
      const made = make(child, at);
      plain[name] = made.plain;
      if (child.hidden) digests.push(hide(at, [salt(), name, made.value]));
      else value[name] = made.value;
    }
    return { value: { ...value, _sd: digests }, plain };
  }
  return { ...make(root, []), disclosures };
}

function childrenOf(node: Tree): (readonly [string | number, Tree])[] {
  if (node.kind === 'leaf') return [];
  return node.kind === 'object' ? node.of : node.of.filter((one) => one !== 'decoy').map((one, at) => [at, one]);
}

const pathsIn = (node: Tree, path: Path = []): Path[] => [
  path,
  ...childrenOf(node).flatMap(([step, child]) => pathsIn(child, [...path, step])),
];

const leavesIn = (node: Tree, path: Path = []): Path[] =>
  node.kind === 'leaf' ? [path] : childrenOf(node).flatMap(([step, child]) => leavesIn(child, [...path, step]));

const begins = (path: Path, start: Path): boolean => start.every((step, at) => path[at] === step);

describe('What is shown of any credential', () => {
  const roots = tree.filter((node) => node.kind === 'object');

  it('opens to what was issued', () => {
    fc.assert(
      fc.property(roots, (root) => {
        const { value, plain, disclosures } = issue(root);
        assert.deepEqual(
          claimsOf(
            open(
              value as object,
              disclosures.map(({ encoded }) => encoded),
            ),
          ),
          plain,
        );
      }),
    );
  });

  it('is everything asked for and nothing else that can be held back', () => {
    const asked = roots.chain((root) =>
      fc.tuple(fc.constant(root), fc.subarray(pathsIn(root).filter((path) => path.length > 0))),
    );
    fc.assert(
      fc.property(asked, ([root, paths]) => {
        const { value, disclosures } = issue(root);
        const chosen = selectDisclosures(
          open(
            value as object,
            disclosures.map(({ encoded }) => encoded),
          ),
          paths,
        );
        // By the definition: a hidden value is shown when it is asked for, is inside what is, or has it inside.
        const expected = disclosures.filter((one) => paths.some((path) => begins(one.path, path) || begins(path, one.path)));
        assert.deepEqual(chosen, new Set(expected.map(({ encoded }) => encoded)));
        // And what is then seen has every path that was asked for, with all of its leaves.
        const seen = JSON.stringify(claimsOf(open(value as object, [...chosen])));
        for (const leaf of leavesIn(root)) {
          const isAsked = paths.some((path) => begins(leaf, path));
          if (isAsked) assert.ok(seen.includes(JSON.stringify(JSON.stringify(leaf))), JSON.stringify(leaf));
        }
      }),
      { numRuns: 300 },
    );
  });
});
