/** An entry of package-lock.json. */
export interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly deprecated?: string
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/
/** Licences that are allowed for packages of the service; a package may join alternatives with OR. */
const LICENCES = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'PSF-2.0'])

/**
 * Lists problems of the packages that an operator installs, from the manifest and the lockfile alone: loose versions, sources other than
 * the registry, missing checksums, install scripts, licences, deprecated packages.
 */
export function findProblems(manifest: Manifest, { packages }: Lockfile): readonly string[] {
  const groups = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]
  const loose = groups
    .flatMap(group => Object.entries(group ?? {}))
    .filter(([, range]) => !EXACT.test(range))
    .map(([name, range]) => `${name} is not pinned to an exact version: ${range}`)
  const locked = Object.entries(packages).filter(([path]) => path !== '')
  return [...loose, ...locked.flatMap(([path, entry]) => problemsOf(path.replace(/^node_modules\//, ''), entry))]
}

function problemsOf(name: string, entry: LockedPackage): readonly string[] {
  const problems: string[] = []
  // The lockfile omits the registry, so that any mirror works; it names other sources.
  if (entry.resolved !== undefined) problems.push(`${name} comes from ${entry.resolved}, not from the registry`)
  if (!entry.integrity?.startsWith('sha512-')) problems.push(`${name} has no sha512 checksum`)
  if (entry.dev) return problems
  if (entry.hasInstallScript) problems.push(`${name} runs a script at install`)
  if (!isAllowed(entry.license)) problems.push(`${name} has the licence ${entry.license ?? 'none'}`)
  if (entry.deprecated !== undefined) problems.push(`${name} is deprecated: ${entry.deprecated}`)
  return problems
}

function isAllowed(licence: string | undefined): boolean {
  const alternatives = (licence ?? '').replace(/^\(|\)$/g, '').split(' OR ')
  return alternatives.some(name => LICENCES.has(name))
}
