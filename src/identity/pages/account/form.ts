// The form that a person sent from an account page.
import { MAX_PICTURE_BYTES } from '../../directory/pictures/index.ts';
import { type BrowserRequest, checkFormToken, isUpload, readForm, readUpload } from '../../ground/look/index.ts';

/** A picture that is a little too large is still read, so that the page can say so. */
const MAX_UPLOAD_BYTES = 2 * MAX_PICTURE_BYTES;

export interface AccountForm {
  /** Empty if the form has no such field. */
  text(name: string): string;
  /** Undefined if the form has no such file. */
  file(name: string): Buffer | undefined;
}

/** Refuses forms of other sites, and of other sessions. */
export async function readAccountForm(browser: BrowserRequest, keys: readonly string[], about: string): Promise<AccountForm> {
  const { fields, files } = isUpload(browser)
    ? await readUpload(browser, MAX_UPLOAD_BYTES)
    : { fields: await readForm(browser), files: new Map<string, Buffer>() };
  checkFormToken(fields, keys, about);
  return { text: (name) => fields.get(name) ?? '', file: (name) => files.get(name) };
}
