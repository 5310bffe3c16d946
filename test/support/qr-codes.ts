// What the camera of a phone makes of a picture: another implementation draws it and reads it.
import { Resvg } from '@resvg/resvg-js';
import jsqr from 'jsqr';

/** CommonJS that was made for another loader: what it exports by default is one level deeper for us. */
const read = jsqr as unknown as typeof jsqr.default;
const WIDTH = 600;

const around = (png: Buffer): string => {
  const href = `data:image/png;base64,${png.toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><image width="100" height="100" href="${href}"/></svg>`;
};

/** The text of the code in an SVG or a PNG; undefined where none can be read. */
export function readQrCode(picture: string | Buffer): string | undefined {
  const svg = typeof picture === 'string' ? picture : around(picture);
  const drawn = new Resvg(svg, { background: 'white', fitTo: { mode: 'width', value: WIDTH } }).render();
  return read(new Uint8ClampedArray(drawn.pixels), drawn.width, drawn.height)?.data;
}
