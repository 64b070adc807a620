/** Formats a number for people: at most one decimal. */
export function formatNumber(value: number): string {
  return String(Math.round(value * 10) / 10)
}

/** Formats a share of 1 as a percentage. */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** Rounds a number for tools to two decimals. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}
