// What other modules need to know about users and groups in a directory (LDAP). Implemented in directories/.

export interface DirectoryGuard {
  /** Fails with 403 when the domain's users and groups are in a directory. */
  forbidNew(domainId: string): Promise<void>;
  /** The attributes of the user that come from a directory. Empty for users that are not in one. */
  attributesOf(userId: string): Promise<readonly string[]>;
  /** Fails with 403 when the user or group is in a directory. */
  forbid(kind: 'user' | 'group', id: string): Promise<void>;
  /** Updates the rows of a domain from its directory before they are listed: one user by name, or all when they are out of date. */
  refresh(domainId: string | undefined, only?: { readonly userName?: string | undefined }): Promise<void>;
}
