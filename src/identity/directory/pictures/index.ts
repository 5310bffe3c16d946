// Pictures of people: checked by their content, and stored without metadata. Logos of applications are checked by the same rules.
// png.ts, jpeg.ts and webp.ts read them.
export { MAX_PICTURE_BYTES, type PictureProblem, readPicture } from './image.ts';
export { createPictures, type Pictures, type StoredPicture } from './pictures.rules.ts';
