// What the services offer where they do TLS themselves: TLS 1.3, and TLS 1.2 with the ciphers that RFC 9325, 4.2 recommends and no others
// (no CBC, no SHA-1, no key exchange without forward secrecy). OpenID's FAPI 2.0 asks for the same. The examples of packaging/proxies and
// docs/guide/hardening.md repeat the list; a test compares them.

/** By their names in OpenSSL, nginx and Node; those of the standard, as Caddy writes them, are beside them. */
export const TLS_1_2_CIPHERS: Readonly<Record<string, string>> = {
  'ECDHE-ECDSA-AES128-GCM-SHA256': 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256': 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384': 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384': 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
};

/** All that exist for it but two for small devices. Node turns TLS 1.3 off if none is named. */
const TLS_1_3_CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

export const TLS_POLICY = {
  minVersion: 'TLSv1.2',
  ciphers: [...TLS_1_3_CIPHERS, ...Object.keys(TLS_1_2_CIPHERS)].join(':'),
  honorCipherOrder: true,
} as const;
