// A person's data as a file.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../../platform/log/index.ts';
import type { BrowserRequest } from '../../ground/look/index.ts';
import type { PersonalData } from '../../operations/personal-data/index.ts';
import { personalDataSection } from './data.page.ts';
import type { AccountSection } from './section.ts';

export interface DataDeps {
  readonly personalData: PersonalData;
  readonly log: Log;
}

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Disposition': 'attachment; filename="my-data.json"',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

/** Piece by piece, as fast as the browser takes them. */
async function sendFile({ exchange }: BrowserRequest, pieces: AsyncIterable<string>, log: Log): Promise<void> {
  exchange.response.writeHead(200, HEADERS);
  try {
    await pipeline(Readable.from(pieces), exchange.response);
  } catch (error) {
    // The connection is closed, so that the browser reports a file that is not whole.
    log.warn({ request_id: exchange.requestId, err: error }, 'a file with the data of a person was not sent to its end');
  }
}

export const createDataSection = ({ personalData, log }: DataDeps): AccountSection => ({
  page: 'data',
  show: async (visit) => personalDataSection(visit),
  steps: {
    'download-data': {
      needs: 'fresh sign-in',
      async run({ browser, person: { user, actor } }) {
        await sendFile(browser, await personalData.file(actor, user.id), log);
        return 'answered';
      },
    },
  },
});
