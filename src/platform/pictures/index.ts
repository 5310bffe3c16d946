// Pictures that strangers bring: what they are by their content, and copies without metadata. png.ts, jpeg.ts and webp.ts read them.
export { MAX_PICTURE_BYTES, type Picture, type PictureLimits, type PictureProblem, readPicture } from './image.ts';
export { MAX_SMALL_PICTURE, type SmallPicture, smallPicture } from './small-picture.ts';
