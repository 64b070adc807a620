import { recordset } from 'tasuki/plugin'

/** An item, and another one of its project that takes over or repeats its records. */
export interface ItemCopy {
  readonly owner_id: string
  readonly from_id: string
  readonly to_id: string
}

/** Returns the copies as the table `c`. */
export const copiesOf = (copies: readonly ItemCopy[]) =>
  recordset('c', { owner_id: 'uuid', from_id: 'uuid', to_id: 'uuid' }, copies)
