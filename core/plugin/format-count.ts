/** Formats a count with its English noun: `1 item`, `2 items`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
