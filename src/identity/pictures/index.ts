// Pictures of people: checked by their content, and stored without metadata.
export { MAX_PICTURE_BYTES } from './image.ts';
export { createPictures, type Pictures, type StoredPicture } from './pictures.rules.ts';
