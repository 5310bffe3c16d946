// The applications that the person may see.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import { ListScreen } from '../list-screen.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { smallLogo } from './logo.ts';
import { subScreens } from './sub-screens.ts';
import type { Consumer } from './types.ts';

class Applications extends ListScreen<Consumer> {
  protected readonly path = '/v3/OS-OAUTH2/consumers';

  heading(): string {
    return words.applications.title;
  }

  protected override headingActions(): Content {
    return session.may('create_consumer')
      ? html`<a class="button" href=${hrefOf('/applications/new')}>${words.applications.create}</a>`
      : nothing;
  }

  protected content(): Content {
    const { applications } = words;
    const texts = {
      caption: applications.title,
      what: applications.what,
      empty: applications.empty,
      nothingFound: () => applications.nothingFound,
    };
    return html`${subScreens('/applications')}${this.list(texts, [
      {
        name: applications.name,
        isHeader: true,
        sort: 'name',
        cell: (consumer) =>
          html`${smallLogo(consumer)}<a href=${hrefOf(`/applications/${part(consumer.id)}`)}>${consumer.name}</a>${consumer.registered_by ? html` <span class="badge">${words.selfRegistration.origins[consumer.registered_by]}</span>` : nothing}`,
      },
      { name: applications.description, cell: ({ description }) => description ?? '' },
      {
        name: applications.clientType,
        cell: ({ client_type }) => (client_type === 'public' ? applications.publicClient : applications.confidentialClient),
      },
    ])}`;
  }
}

define('gh-applications', Applications);
