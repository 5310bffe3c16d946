// Everybody who has a role in an organization or a domain, with all their roles there.
import { html } from 'lit';
import { listQuery, nextMarker, pager } from '../../shared/list.ts';
import type { Location } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { table } from '../../shared/table.ts';
import { goQuery } from '../frame.ts';
import type { Place } from '../grants/give.ts';
import { type Assignment, OriginNames } from '../grants/origin.ts';
import { holderLink, roleLines } from '../grants/role-list.ts';
import type { Links } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';

const PAGE = 100;

interface Member {
  readonly id: string;
  readonly roles: readonly Assignment[];
}

export class MemberList {
  readonly #at: Place;
  readonly #location: Location;
  readonly #names = new OriginNames();
  #members: readonly Member[] = [];
  #next: string | undefined;

  constructor(at: Place, location: Location) {
    this.#at = at;
    this.#location = location;
  }

  async load(signal: AbortSignal): Promise<void> {
    const { role_assignments: found, links } = await api.get<{ role_assignments: readonly Assignment[]; links: Links }>(
      '/v3/role_assignments',
      {
        query: {
          [this.#at.kind === 'domains' ? 'scope.domain.id' : 'scope.project.id']: this.#at.id,
          effective: true,
          include_names: true,
          limit: PAGE,
          marker: listQuery(this.#location).marker,
        },
        signal,
      },
    );
    const people = Map.groupBy(found, ({ user }) => user?.id ?? '');
    this.#members = [...people].map(([id, roles]) => ({ id, roles }));
    this.#next = nextMarker(links.next);
    await this.#names.load(found, signal);
  }

  content(): Content {
    const { grants, organizations } = words;
    return html`${table<Member>({
      caption: organizations.members,
      rows: this.#members,
      key: ({ id }) => id,
      columns: [
        { name: grants.person, isHeader: true, cell: ({ roles }) => holderLink(roles[0]!) },
        { name: organizations.roles, cell: ({ roles }) => roleLines(roles, this.#names) },
      ],
      empty: grants.noneHere,
    })}
    ${pager(listQuery(this.#location), this.#next, goQuery)}`;
  }
}
