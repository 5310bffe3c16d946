// The constants of PKCS#11 (v2.40, EdDSA from v3.0) that the store uses, by their names in the standard.

export const CK = {
  CKF_OS_LOCKING_OK: 0x2,
  CKF_RW_SESSION: 0x2,
  CKF_SERIAL_SESSION: 0x4,
  CKF_TOKEN_INITIALIZED: 0x400,
  CKU_USER: 1,
  CKS_RO_USER_FUNCTIONS: 1,
  CKS_RW_USER_FUNCTIONS: 3,
  CKG_MGF1_SHA256: 2,
} as const;

export const CKO = { PUBLIC_KEY: 2, PRIVATE_KEY: 3 } as const;

export const CKK = { RSA: 0x0, EC: 0x3, EC_EDWARDS: 0x40 } as const;

export const CKA = {
  CLASS: 0x0,
  TOKEN: 0x1,
  PRIVATE: 0x2,
  LABEL: 0x3,
  VALUE: 0x11,
  KEY_TYPE: 0x100,
  ID: 0x102,
  SENSITIVE: 0x103,
  DECRYPT: 0x105,
  UNWRAP: 0x107,
  SIGN: 0x108,
  VERIFY: 0x10a,
  MODULUS: 0x120,
  MODULUS_BITS: 0x121,
  PUBLIC_EXPONENT: 0x122,
  PRIVATE_EXPONENT: 0x123,
  EXTRACTABLE: 0x162,
  EC_PARAMS: 0x180,
  EC_POINT: 0x181,
} as const;

export const CKM = {
  RSA_PKCS_KEY_PAIR_GEN: 0x0,
  SHA256_RSA_PKCS: 0x40,
  SHA256_RSA_PKCS_PSS: 0x43,
  SHA256: 0x250,
  EC_KEY_PAIR_GEN: 0x1040,
  ECDSA: 0x1041,
  EC_EDWARDS_KEY_PAIR_GEN: 0x1055,
  EDDSA: 0x1057,
} as const;

/** The codes that the store handles, and the ones an operator is most likely to see. */
export const CKR = {
  OK: 0x0,
  HOST_MEMORY: 0x2,
  GENERAL_ERROR: 0x5,
  FUNCTION_FAILED: 0x6,
  ARGUMENTS_BAD: 0x7,
  CANT_LOCK: 0xa,
  ATTRIBUTE_SENSITIVE: 0x11,
  ATTRIBUTE_TYPE_INVALID: 0x12,
  ATTRIBUTE_VALUE_INVALID: 0x13,
  DEVICE_ERROR: 0x30,
  DEVICE_MEMORY: 0x31,
  DEVICE_REMOVED: 0x32,
  KEY_HANDLE_INVALID: 0x60,
  KEY_TYPE_INCONSISTENT: 0x63,
  KEY_FUNCTION_NOT_PERMITTED: 0x68,
  MECHANISM_INVALID: 0x70,
  MECHANISM_PARAM_INVALID: 0x71,
  OBJECT_HANDLE_INVALID: 0x82,
  OPERATION_ACTIVE: 0x90,
  PIN_INCORRECT: 0xa0,
  PIN_INVALID: 0xa1,
  PIN_LEN_RANGE: 0xa2,
  PIN_EXPIRED: 0xa3,
  PIN_LOCKED: 0xa4,
  SESSION_CLOSED: 0xb0,
  SESSION_COUNT: 0xb1,
  SESSION_HANDLE_INVALID: 0xb3,
  TEMPLATE_INCOMPLETE: 0xd0,
  TEMPLATE_INCONSISTENT: 0xd1,
  TOKEN_NOT_PRESENT: 0xe0,
  TOKEN_WRITE_PROTECTED: 0xe2,
  USER_ALREADY_LOGGED_IN: 0x100,
  USER_NOT_LOGGED_IN: 0x101,
  USER_PIN_NOT_INITIALIZED: 0x102,
  DOMAIN_PARAMS_INVALID: 0x130,
  CURVE_NOT_SUPPORTED: 0x140,
  BUFFER_TOO_SMALL: 0x150,
  CRYPTOKI_NOT_INITIALIZED: 0x190,
  CRYPTOKI_ALREADY_INITIALIZED: 0x191,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(CKR).map(([name, code]) => [code, `CKR_${name}`]));

/** A function of the library returned something else than CKR_OK. */
export class Pkcs11Error extends Error {
  readonly code: number;

  constructor(called: string, code: number) {
    super(`PKCS#11: ${called} answered ${NAMES.get(code) ?? 'an error'} (0x${code.toString(16)})`);
    this.name = 'Pkcs11Error';
    this.code = code;
  }
}

export const isCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof Pkcs11Error && codes.includes(error.code);
