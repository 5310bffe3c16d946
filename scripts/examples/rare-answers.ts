// Answers that the tour of the identity service does not get.

export const GONE = {
  error: {
    code: 410,
    title: 'Gone',
    message: 'This API is no longer available due to the removal of support for PKI tokens.',
  },
};

/** Answered only when rules ask for several methods (multi_factor_auth_rules). */
export const RECEIPT = {
  error: {
    code: 401,
    title: 'Unauthorized',
    message: 'Additional authentications steps required.',
    identity: { methods: ['password', 'totp'] },
  },
  receipt: {
    methods: ['password'],
    user: { id: '1f42b0c1d3e94f0a8f6e2d7c5b4a3921', name: 'ada', domain: { id: 'default', name: 'Default' } },
    expires_at: '2026-11-17T09:05:00.000000Z',
    issued_at: '2026-11-17T09:00:00.000000Z',
  },
  required_auth_methods: [['password', 'totp']],
};

const DID = 'did:web:id.town.example';
const KEY = `${DID}#cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s`;
/** Only a service at an https address has a DID. */
export const DID_DOCUMENT = {
  '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
  id: DID,
  verificationMethod: [
    {
      id: KEY,
      type: 'JsonWebKey2020',
      controller: DID,
      publicKeyJwk: {
        kty: 'EC',
        crv: 'P-256',
        x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
        y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
        kid: KEY.slice(DID.length + 1),
        alg: 'ES256',
      },
    },
  ],
  assertionMethod: [KEY],
  authentication: [KEY],
};
export const TRUSTED_ISSUER = {
  did: DID,
  attributes: [
    {
      hash: '3d626a7950f0875b23d233ee197f5c09ca581a3c24656c87d4edb4176aee649b',
      body: 'eyJjcmVkZW50aWFsc1R5cGUiOiJWZXJpZmlhYmxlQ3JlZGVudGlhbCIsImNsYWltcyI6W119',
      issuerType: 'Undefined',
      tao: DID,
      rootTao: DID,
    },
  ],
};

const BACKUPS = {
  is_known: true,
  last: {
    made_at: '2026-11-17T09:00:00.000000Z',
    files: ['identity.sqlite', 'wallet.sqlite', 'master.key'],
    verified_at: '2026-11-17T09:00:00.000000Z',
  },
  failed: null,
  missing_setting: null,
  kept: [
    {
      file: 'gatehouse-20261117T020000Z.tar',
      made_at: '2026-11-17T09:00:00.000000Z',
      bytes: 3_409_408,
      verified: true,
      on_schedule: true,
    },
  ],
};
/** Only a service with a folder for backups makes any. */
export const BACKUPS_KEPT = { backups: { ...BACKUPS, is_running: false, asked: null } };
export const BACKUP_BEGUN = {
  backups: {
    ...BACKUPS,
    is_running: true,
    asked: { started_at: '2026-11-17T09:00:00.000000Z', outcome: 'running', reason: null },
  },
};

/** Only where an administrator confirms registrations. */
export const waitingRegistrations = (userId: string) => ({
  links: { self: 'http://127.0.0.1:5000/v3/OS-REGISTRATION/waiting', previous: null, next: null },
  waiting: [
    {
      user_id: userId,
      user_name: 'hedy@town.example',
      name: 'Hedy',
      email: 'hedy@town.example',
      domain_id: 'default',
      waits_since: '2026-11-17T09:00:00.000000Z',
      links: { self: `http://127.0.0.1:5000/v3/users/${userId}` },
    },
  ],
});
