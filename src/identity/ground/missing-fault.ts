/** The error that something is not there, in Keystone's words. */
export const missing = <const Title extends string>(title: Title) =>
  ({ status: 404, text: `Could not find ${title}: {id}.` }) as { status: 404; text: `Could not find ${Title}: {id}.` };
