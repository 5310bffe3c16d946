// All columns with sealed secrets: are they whole, and under which master key; sealing them again under a new one.
export {
  checkSealed,
  type ResealResult,
  resealColumns,
  type SealedColumn,
  type SealedReport,
  type SealedRow,
} from './sealed.store.ts';
