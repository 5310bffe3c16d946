/** The parts of an image, and its size in pixels. */
export interface CleanImage {
  readonly content: Buffer;
  readonly width: number;
  readonly height: number;
}
