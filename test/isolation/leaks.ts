import { registerHooks } from 'node:module'

/** A check that a proof removes: a part of a file, and its replacement. */
interface Leak {
  readonly file: string
  readonly net: string
  readonly without: string
  /** Title of the matrix test that must find the leak. */
  readonly foundBy: RegExp
}

/** Former leaks, and leaks that a single missing condition would cause. The matrix must find each of them. */
export const LEAKS: Readonly<Record<string, Leak>> = {
  'second records': {
    file: 'plugins/items/other-item.repository.ts',
    net: " and ${visible(ctx, 'o')}",
    without: '',
    foundBy: /hidden records change no list/,
  },
  'limits of credentials': {
    file: 'plugins/projects/visibility.repository.ts',
    net: "return allOf([seen, compare(project, 'in', projects)])",
    without: 'return seen',
    foundBy: /hidden records change no list/,
  },
  threads: {
    file: 'plugins/conversations/thread.repository.ts',
    net: "const own = compare('t.owner_id', '=', ownerId)",
    without: "const own = compare('t.owner_id', 'is not', null)",
    foundBy: /threads of others/,
  },
  references: {
    file: 'plugins/items/item.repository.ts',
    net: "${plan} ${visible(ctx, 'i')} and",
    without: '${plan} true and',
    foundBy: /no stream|a hidden name gets/,
  },
}

const chosen = LEAKS[process.env['ISOLATION_LEAK'] ?? '']
if (chosen) {
  const { file, net, without } = chosen
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(file)) return loaded
      const text = String(loaded.source)
      if (!text.includes(net)) throw new Error(`${file} no longer contains this check: ${net}`)
      return { ...loaded, source: text.replace(net, without) }
    },
  })
}
