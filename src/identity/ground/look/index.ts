// What all pages for people share: layout, style, forms and cookies, the texts in each language.
// look.ts is the reader's language, time zone and the brand; words/ has the texts; assets.ts the style, icon and logo; passkeys.js asks for
// passkeys, and tells the time zone; submit.js sends the form of a page; signed-out.js goes on when
// applications have been told of a sign-out. Browsers get no other script.

export { type Assets, assetHeaders, createCurrentAssets, type DomainLook, FAVICON, LOGO_NOW } from './assets.ts';
export { brandColors, forScheme, inkAndColor, type Scheme } from './brand-colors.ts';
export type { BrandPicture } from './brand-pictures.store.ts';
export { BRAND_PICTURES, type BrandPictures, createBrandPictures, domainPicturePath } from './brand-pictures.ts';
export {
  type BrowserRequest,
  browserRequestOf,
  checkFormToken,
  chooseLanguage,
  formToken,
  isUpload,
  passkeyChallenges,
  readCookie,
  readCrossSiteForm,
  readForm,
  readUpload,
  redirect,
  refuseCrossSite,
  sendAnswer,
  sendFile,
  sendPage,
  setCookie,
  withBrand,
} from './browser.ts';
export { outagePage, pageErrors } from './error-page.ts';
export { type Html, html, trusted } from './html.ts';
export {
  checkedField,
  errorMessage,
  type Field,
  field,
  formMessage,
  hidden,
  LANGUAGE_PATH,
  LIBRARY_HEADERS,
  PAGE_HEADERS,
  PROBLEM,
  page,
  problem,
  SCRIPT_PAGE_POLICY,
  showPasswords,
  successMessage,
  type WrongForm,
} from './layout.ts';
export { type Brand, cookieIn, LANGUAGE_COOKIE, lookOf, type PageLook, type Reader } from './look.ts';
export { type PageRefusal, refusal, refusalOf } from './messages.ts';
export { createPreviews, type LookDraft, type Preview, type PreviewContent, type Previews } from './previews.ts';
export { style } from './style.ts';
export { termsField } from './terms-field.ts';
export { browserName, userAgentOf } from './user-agent.ts';
export { LANGUAGES, type PageWords } from './words/index.ts';
