// What a check found. A finding that is not ok says what to do about it.
import type { IdentityConfig } from '../identity/ground/settings/index.ts';
import { ConfigError, type Environment } from '../platform/config/index.ts';
import type { SharedConfig } from '../settings.ts';
import type { WalletConfig } from '../wallet/ground/settings.ts';

export type Status = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly text: string;
  readonly mend?: string;
}

export const ok = (check: string, text: string): Finding => ({ check, status: 'ok', text });
export const warn = (check: string, text: string, mend: string): Finding => ({ check, status: 'warn', text, mend });
export const fail = (check: string, text: string, mend: string): Finding => ({ check, status: 'fail', text, mend });

/** What the checks ask of the machine. Tests replace it. */
export interface Machine {
  /** Milliseconds. */
  now(): number;
  freeBytes(folder: string): Promise<number>;
  /** Whether a time service keeps the clock right; undefined if that cannot be found out. */
  isClockSynchronized(): Promise<boolean | undefined>;
}

export interface Deployment {
  readonly env: Environment;
  readonly shared: SharedConfig;
  /** Undefined if it does not belong to this deployment. */
  readonly identity: IdentityConfig | undefined;
  readonly wallet: WalletConfig | undefined;
  /** No identity service belongs to the wallet node. */
  readonly isWalletAlone: boolean;
  readonly folder: string;
  readonly machine: Machine;
}

/** The text of an error that may be shown: those of drivers can contain addresses with passwords, so only their code is used. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ConfigError) return message;
  return code ?? (error as Error).name ?? 'unknown error';
}

const DAY_MS = 86_400_000;
export const daysBetween = (from: number, to: number): number => Math.floor((to - from) / DAY_MS);

/** The worst of them decides the exit status of the command. */
export const exitStatusOf = (findings: readonly Finding[]): number =>
  findings.some(({ status }) => status === 'fail') ? 2 : findings.some(({ status }) => status === 'warn') ? 1 : 0;
