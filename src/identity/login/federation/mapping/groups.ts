// Collects the groups of a person, without duplicates. Groups that have a placeholder without a value are left out.
import { fillDomain } from './domains.ts';
import { type DomainReference, type GroupReference, RefusalError } from './identity.ts';
import { MAX_GROUPS, STEPS_PER_JSON_CHARACTER, STEPS_PER_VALUE } from './limits.ts';
import type { LocalEntry } from './mapping.ts';
import { readDomain } from './projects.ts';
import { parseJson, Reader } from './reader.ts';
import type { Steps } from './regex/index.ts';
import { type DirectMaps, fill, fillList } from './template.ts';

/** Another Keystone asserts a group with its domain as JSON after this prefix. */
const AS_JSON = 'JSON:';

export class Groups {
  readonly #references = new Map<string, GroupReference>();
  readonly #ids = new Set<string>();
  readonly #steps: Steps;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  add(local: LocalEntry, maps: DirectMaps): void {
    const { group, groups, groupIds, domain, place } = local;
    if (group?.id !== undefined) this.#addId(fill(group.id, maps));
    else if (group) this.#addReference(fill(group.name, maps), fillDomain(group.domain, maps));
    if (groups) {
      const asserted = fillList(groups, maps);
      this.#steps.spend(asserted.length * STEPS_PER_VALUE);
      const filled = domain && fillDomain(domain, maps);
      if (domain) for (const name of asserted) this.#addReference(name, filled);
      else this.#addAsserted(asserted, `${place}.groups`);
    }
    if (groupIds) {
      const ids = fillList(groupIds, maps);
      this.#steps.spend(ids.length * STEPS_PER_VALUE);
      for (const id of ids) this.#addId(id);
    }
    if (this.#references.size + this.#ids.size > MAX_GROUPS)
      throw new RefusalError('too_large', `there are more than ${MAX_GROUPS} groups`);
  }

  references(): readonly GroupReference[] {
    return [...this.#references.values()];
  }

  ids(): readonly string[] {
    return [...this.#ids];
  }

  #addId(id: string | undefined): void {
    if (id !== undefined) this.#ids.add(id);
  }

  #addReference(name: string | undefined, domain: DomainReference | undefined): void {
    if (name === undefined || !domain) return;
    this.#references.set(JSON.stringify([name, domain.id, domain.name]), { name, domain });
  }

  /** Only for rules without a domain. In Keystone a JSON group also overrides the domain of the rule: a provider could choose groups of any domain. */
  #addAsserted(texts: readonly string[], place: string): void {
    if (texts.length === 0 || !texts.every((text) => text.startsWith(AS_JSON)))
      throw new RefusalError('groups_without_domain', `${place}: neither the rule nor the assertion has a domain for the groups`);
    for (const text of texts) {
      this.#steps.spend(text.length * STEPS_PER_JSON_CHARACTER);
      const { name, domain } = readGroup(text.slice(AS_JSON.length), place);
      this.#addReference(name, domain);
    }
  }
}

function readGroup(json: string, place: string): GroupReference {
  const reader = new Reader();
  const object = reader.object(parseJson(json), place, ['name', 'domain']);
  const name = object && reader.text(object.name, `${place}.name`);
  const domain = object && readDomain(reader, object.domain, `${place}.domain`, (value, at) => reader.text(value, at));
  const [problem] = reader.problems;
  if (problem || name === undefined || !domain)
    throw new RefusalError('invalid_group', `${place}: a group in JSON cannot be read: ${problem?.why}`);
  return { name, domain };
}
