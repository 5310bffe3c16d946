// Reads QR codes from pictures, like the camera of a phone, with independent libraries.
import { Resvg } from '@resvg/resvg-js';
import jsqr from 'jsqr';
import { renderSVG } from 'uqr';

/** CommonJS transpiled for another loader: the default export is one level deeper. */
const read = jsqr as unknown as typeof jsqr.default;
const WIDTH = 600;

const around = (png: Buffer): string => {
  const href = `data:image/png;base64,${png.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><image width="100" height="100" href="${href}"/></svg>`;
};

/** A picture of a code, as PNG. */
export const qrPicture = (text: string): Buffer =>
  Buffer.from(
    new Resvg(renderSVG(text, { border: 4 }), { background: 'white', fitTo: { mode: 'width', value: WIDTH } }).render().asPng(),
  );

/** The text of the code in an SVG or a PNG; undefined if none can be read. */
export function readQrCode(picture: string | Buffer): string | undefined {
  const svg = typeof picture === 'string' ? picture : around(picture);
  const drawn = new Resvg(svg, { background: 'white', fitTo: { mode: 'width', value: WIDTH } }).render();
  return read(new Uint8ClampedArray(drawn.pixels), drawn.width, drawn.height)?.data;
}
