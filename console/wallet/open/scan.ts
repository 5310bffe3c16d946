// Reads a QR code with the camera, by the browser's own BarcodeDetector. Pictures stay in the browser.
import { html } from 'lit';
import { openDialog } from '../../shared/dialog.ts';
import { announce } from '../../shared/status.ts';
import { words } from '../words/index.ts';

interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

const detectorClass = (): DetectorClass | undefined => (window as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
const LOOK_MS = 200;

export async function canScan(): Promise<boolean> {
  const Detector = detectorClass();
  if (!Detector || !('mediaDevices' in navigator)) return false;
  return (await Detector.getSupportedFormats().catch((): readonly string[] => [])).includes('qr_code');
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
export async function scanCode(isWanted: (text: string) => boolean): Promise<string | undefined> {
  const stream = await openCamera();
  if (!stream) return undefined;
  const detector = new (detectorClass()!)({ formats: ['qr_code'] });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = true;
  try {
    return await openDialog<string>(words.open.scan, (close) => {
      const video = document.createElement('video');
      video.muted = true;
      video.playsInline = true;
      video.srcObject = stream;
      const look = async (): Promise<void> => {
        const found = await detector.detect(video).catch(() => []);
        const link = found.map(({ rawValue }) => rawValue).find(isWanted);
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
