/** One measured figure. A ratio compares two values that were measured alternately in one run, so that a slow machine does not matter. */
export interface Figure {
  readonly name: string
  readonly unit: string
  /** Medians of the service and of the compared implementation; null if there is only a ratio or only one value. */
  readonly ours: number | null
  readonly theirs: number | null
  /** Median, minimum and maximum over the rounds; null if the figure is a single value. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number } | null
  /** Limit of the ratio, or of our value if there is no ratio; null = for information. */
  readonly target: { readonly atMost: number } | { readonly atLeast: number } | null
}

/** Tells whether a figure reaches its target; null without a target. */
export function reachesTarget({ ours, ratio, target }: Figure): boolean | null {
  const value = ratio?.median ?? ours
  if (target === null || value === null) return null
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

const HEAD = ['', 'tasuki', 'other', 'ratio', 'min–max', 'target', '']

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(figure => {
    const { name, unit, ours, theirs, ratio, target } = figure
    const reached = reachesTarget(figure)
    return [
      name,
      ours === null ? '' : `${formatNumber(ours)} ${unit}`,
      theirs === null ? '' : `${formatNumber(theirs)} ${unit}`,
      ratio ? ratio.median.toFixed(2) : '',
      ratio ? `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}` : '',
      target === null ? '' : 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`,
      reached === null ? '' : reached ? 'met' : 'MISSED',
    ]
  })
  return alignColumns([HEAD, ...rows])
}

/** Aligns rows to columns of equal width, the first column to the left. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows
    .map(row =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
    )
    .join('\n')
}

function formatNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}
