// The cookies of remembered devices.
import { type BrowserRequest, readCookie, setCookie } from '../../ground/look/index.ts';
import { type DeviceCookie, deviceCookieName } from './sign-in.ts';

export function readDeviceCookie(browser: BrowserRequest, userId: string): DeviceCookie | undefined {
  const [deviceId, deviceToken] = readCookie(browser, deviceCookieName(userId))?.split('.') ?? [];
  return deviceId && deviceToken ? { deviceId, deviceToken } : undefined;
}

export function setDeviceCookie(browser: BrowserRequest, userId: string, { deviceId, deviceToken }: DeviceCookie): void {
  setCookie(browser, deviceCookieName(userId), `${deviceId}.${deviceToken}`);
}
