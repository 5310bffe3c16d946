// Pictures of people: checked by their content, and stored without metadata. Logos of applications are checked by the same rules.
export { MAX_PICTURE_BYTES, type PictureProblem, readPicture } from '../../../platform/pictures/index.ts';
export { createPictures, type Pictures, type StoredPicture } from './pictures.rules.ts';
