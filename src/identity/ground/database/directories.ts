// Tables of users and groups that are in a directory (LDAP).

/** Which entry of a directory a user or a group is. */
export interface DirectoryEntryRow {
  domain_id: string;
  local_id: string;
  dn: string;
  gone_at: number | null;
}

export interface DirectoryTables {
  directory_users: DirectoryEntryRow & {
    user_id: string;
    password_changed: string | null;
    seen_at: number;
    unique_id: string | null;
  };
  directory_groups: DirectoryEntryRow & { group_id: string };
  directory_syncs: { domain_id: string; finished_at: number };
  directory_readings: {
    domain_id: string;
    began_at: number;
    ended_at: number;
    failure: string | null;
    users: number;
    groups: number;
    closed: number;
  };
}
