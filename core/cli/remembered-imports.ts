import { registerHooks, type ResolveHookSync } from 'node:module'

/** Folders whose modules all see the same packages: what one of them finds by a package's name, all find. */
const OWN_FOLDERS = ['..', '../../plugins/'].map(path => new URL(path, import.meta.url).href)

type Resolved = ReturnType<ResolveHookSync>

/**
 * Answers imports from what was found for earlier ones, for as long as the process lives: a start names its modules three times each,
 * and for each of these Node asks the disk for the file, its real path and the type of its package, a quarter of the time.
 * Takes for granted that what lies beside a module which was found is a file as well, and no link.
 */
export function rememberImports(): void {
  registerHooks({ resolve: rememberingResolve() })
}

/** The hook by itself: what it does not know it leaves to `next`. */
export function rememberingResolve(): ResolveHookSync {
  /** By folder and file extension, for modules that were found right there. */
  const formats = new Map<string, string>()
  /** By who asks and the name asked for. */
  const packages = new Map<string, Resolved>()

  return (name, context, next) => {
    const { parentURL: parent, conditions } = context
    // What is required is looked for in other ways.
    if (parent === undefined || !conditions.includes('import')) return next(name, context)
    if (name.startsWith('.')) {
      const url = new URL(name, parent).href
      const kind = folderOf(url) + url.slice(url.lastIndexOf('.'))
      const format = formats.get(kind)
      if (format !== undefined) return { url, format, shortCircuit: true }
      const found = next(name, context)
      if (found.url === url && found.format) formats.set(kind, found.format)
      return found
    }
    const asked = `${OWN_FOLDERS.find(folder => parent.startsWith(folder)) ?? folderOf(parent)} ${name}`
    let found = packages.get(asked)
    if (found === undefined) {
      found = { ...next(name, context), shortCircuit: true }
      packages.set(asked, found)
    }
    return found
  }
}

function folderOf(url: string): string {
  return url.slice(0, url.lastIndexOf('/') + 1)
}
