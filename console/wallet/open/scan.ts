// Reads a QR code with the camera, or from a picture. Pictures stay in the browser. Browsers that have no BarcodeDetector of their own get
// that of the library `qr`, which is loaded when it is needed.
import { html } from 'lit';
import { openDialog } from '../../shared/dialog.ts';
import { announce } from '../../shared/status.ts';
import { words } from '../words/index.ts';

interface Detector {
  detect(source: HTMLVideoElement | ImageBitmap): Promise<readonly { readonly rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: readonly ['qr_code'] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

const LOOK_MS = 200;

async function createDetector(): Promise<Detector> {
  const { BarcodeDetector: own } = window as { BarcodeDetector?: DetectorClass };
  // Some browsers have the class, and no format.
  const formats = own ? await own.getSupportedFormats().catch((): readonly string[] => []) : [];
  const options = { formats: ['qr_code'] as const };
  if (own && formats.includes('qr_code')) return new own(options);
  const { BarcodeDetector } = await import('qr/decode.js');
  return new (BarcodeDetector as unknown as DetectorClass)(options);
}

/** Browsers give it to pages that came over a secure connection only. */
export const hasCamera = (): boolean => navigator.mediaDevices !== undefined;

/** Whether this document was sent with the permission. Browsers that do not know permissions do not ask for one. */
export function mayUseCamera(): boolean {
  const { featurePolicy: policy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return policy?.allowsFeature('camera') ?? true;
}

type IsWanted = (text: string) => boolean;

const wantedIn = async (
  detector: Detector,
  source: HTMLVideoElement | ImageBitmap,
  isWanted: IsWanted,
): Promise<string | undefined> =>
  (await detector.detect(source).catch((): { rawValue: string }[] => [])).map(({ rawValue }) => rawValue).find(isWanted);

/** The code in a picture; undefined if there is none that is wanted. */
export async function readPicture(picture: Blob, isWanted: IsWanted): Promise<string | undefined> {
  const bitmap = await createImageBitmap(picture).catch(() => undefined);
  return bitmap && wantedIn(await createDetector(), bitmap, isWanted);
}

async function openCamera(): Promise<MediaStream | undefined> {
  try {
    return await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false });
  } catch {
    announce(words.open.noCamera);
    return undefined;
  }
}

/** The first code that is wanted, or undefined if the person closes the dialog. */
export async function scanCode(isWanted: IsWanted): Promise<string | undefined> {
  const [stream, detector] = await Promise.all([openCamera(), createDetector()]);
  if (!stream) return undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = true;
  try {
    return await openDialog<string>(words.open.scan, (close) => {
      const video = document.createElement('video');
      video.muted = true;
      video.playsInline = true;
      video.setAttribute('aria-label', words.open.cameraPicture);
      video.srcObject = stream;
      const look = async (): Promise<void> => {
        const link = await wantedIn(detector, video, isWanted);
        if (link !== undefined) close(link);
        else if (isOpen) timer = setTimeout(() => void look(), LOOK_MS);
      };
      void video.play().then(look);
      return html`<p>${words.open.holdCode}</p>${video}`;
    });
  } finally {
    isOpen = false;
    clearTimeout(timer);
    for (const track of stream.getTracks()) track.stop();
  }
}
