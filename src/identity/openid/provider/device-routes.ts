// The device flow (RFC 8628), by the library's names of its routes.
const DEVICE_ROUTES: readonly string[] = ['device_authorization', 'code_verification', 'device_resume'];

export const isForDevice = (route: string): boolean => DEVICE_ROUTES.includes(route);
