// A form of password hash that other systems store.

/** A hash that was read: what it costs is known before anything is computed. */
export interface ReadHash {
  /** How much of the most that is taken for this form it costs: over 1, it is refused. */
  readonly cost: number;
  fits(password: string): Promise<boolean>;
  /** A hash of nobody that takes as long to compare with; undefined if it takes no time. */
  readonly standIn: string | undefined;
}

export interface HashForm {
  /** For people: in reports and in the overview of the service. */
  readonly name: string;
  readonly begins: RegExp;
  /** Undefined if it is damaged. */
  read(hash: string): ReadHash | undefined;
}
