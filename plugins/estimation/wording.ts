/** A number as people write it: at most one decimal. */
export function formatNumber(value: number): string {
  return String(Math.round(value * 10) / 10)
}

/** A share of 1 as percent. */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** `1 item`, `2 items`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A number as tools return it: two decimals. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}
