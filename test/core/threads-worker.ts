/** Never ends. */
export function spin(): never {
  for (;;);
}

/** Needs more memory than any limit of the heap. */
export function fillMemory(): never {
  const all: string[][] = []
  for (;;) all.push(Array.from({ length: 10_000 }, (_, n) => String(n)))
}

export const addOne = (n: number): number => n + 1
