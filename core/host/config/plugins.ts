import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, isAbsolute, join, parse, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { HostPlugin, PluginSpec } from '../../plugin/plugin.ts'
import { VERSION } from '../../plugin/version.ts'
import type { Config } from './schema.ts'

/** An entry of the config, with its key and settings. */
interface Entry<P> {
  readonly name: string
  readonly plugin: P
  readonly options: object
}
export type ConfiguredPlugin = Omit<Entry<HostPlugin>, 'name'>
/** A plain Fastify plugin from the config, without a declaration. */
export type ConfiguredFastifyPlugin = Entry<FastifyPluginAsync | FastifyPluginCallback>
interface Manifest {
  readonly version?: string
  readonly peerDependencies?: { readonly tasuki?: string }
}

const SOURCE = import.meta.url.endsWith('.ts')
const PLUGINS_FOLDER = new URL('../../../plugins/', import.meta.url)
const OWN_NAME = /^[a-z][a-z0-9_]*$/

/**
 * Imports all enabled plugins. Names without / or . are built-in plugins, other names are packages or paths.
 * @param folder base folder of packages and paths: the folder of the operator's config file
 * @throws HostError that names the entry and the fix
 */
export async function loadPlugins(config: Pick<Config, 'plugins'>, folder: string): Promise<Entry<HostPlugin>[]> {
  return (await importEnabled(config, folder)).filter(entry => isDeclared(entry))
}

/** Imports the packages and paths of the config that are plain Fastify plugins, in config order. @throws HostError */
export async function loadFastifyPlugins(config: Config, folder: string): Promise<ConfiguredFastifyPlugin[]> {
  return (await importEnabled(config, folder)).filter(entry => !isDeclared(entry))
}

type AnyEntry = Entry<HostPlugin> | ConfiguredFastifyPlugin

function isDeclared(entry: AnyEntry): entry is Entry<HostPlugin> {
  return 'spec' in entry.plugin
}

function importEnabled({ plugins }: Pick<Config, 'plugins'>, folder: string): Promise<AnyEntry[]> {
  for (const name of absentNames({ plugins })) {
    const suggestion = suggestName(name)
    if (suggestion !== '')
      throw new HostError(`there is no plugin "${name}" to switch off; ${suggestion}remove it from "plugins"`)
  }
  const enabled = Object.entries(plugins).filter(([, options]) => options !== false)
  return Promise.all(
    enabled.map(async ([name, options]) => {
      return { name, plugin: await importPlugin(name, folder), options: typeof options === 'object' ? options : {} }
    }),
  )
}

/** Lists the keys of the disabled plugins. */
export function disabledNames({ plugins }: Pick<Config, 'plugins'>): readonly string[] {
  return Object.keys(plugins).filter(name => plugins[name] === false)
}

/** Lists the disabled names that no built-in plugin has, for example of one that a later version removed. */
export function absentNames(config: Pick<Config, 'plugins'>): readonly string[] {
  const names = builtInNames()
  return disabledNames(config).filter(name => OWN_NAME.test(name) && !names.includes(name))
}

function builtInNames(): readonly string[] {
  return readdirSync(PLUGINS_FOLDER, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? entry.name : []))
}

/** Imports the disabled plugins that are installed. */
export async function loadOffPlugins(config: Config, folder: string): Promise<HostPlugin[]> {
  const found = await Promise.all(disabledNames(config).map(async key => importPlugin(key, folder).catch(() => null)))
  return found.filter(plugin => plugin !== null && 'spec' in plugin)
}

/** Describes plugins of another version than their package, which may miss a downgrade, and packages for other versions of tasuki. */
export async function describeMisfits(plugins: readonly Entry<HostPlugin>[], folder: string): Promise<string[]> {
  const misfits = plugins.map(async ({ name, plugin: { spec } }) => {
    const manifest = OWN_NAME.test(name) ? undefined : findPackageJSON(await locate(name, folder))
    if (manifest === undefined) return []
    const { version, peerDependencies } = JSON.parse(await readFile(manifest, 'utf8')) as Manifest
    const range = peerDependencies?.tasuki
    const { satisfies } = (await import('semver')).default
    // A path may lead into a folder of the operator, whose package is not that of the plugin.
    const isOther = version !== spec.version && (range !== undefined || !isPath(name))
    return [
      isOther && `plugin ${spec.name} has version ${spec.version}, but its package ${version}: declare that one`,
      range !== undefined &&
        !satisfies(VERSION, range, { includePrerelease: true }) &&
        `the package of plugin ${spec.name} is for tasuki ${range}, but this is ${VERSION}: install one that fits`,
    ]
  })
  return (await Promise.all(misfits)).flat().filter(text => text !== false)
}

/**
 * Finds the disabled built-in plugin that has a tool; null if there is none.
 * Third-party plugins are not searched, because their code must not run while they are disabled.
 */
export async function findOffPluginOf(config: Config, tool: string): Promise<string | null> {
  for (const key of disabledNames(config).filter(name => OWN_NAME.test(name))) {
    const plugin = await importPlugin(key, '.').catch(() => undefined)
    if (plugin && 'spec' in plugin && plugin.spec.tools?.some(({ name }) => name === tool)) return key
  }
  return null
}

async function importPlugin(name: string, folder: string): Promise<HostPlugin | ConfiguredFastifyPlugin['plugin']> {
  const address = await locate(name, folder)
  let module: { readonly plugin?: unknown; readonly default?: unknown }
  try {
    module = (await import(address)) as typeof module
  } catch (error) {
    throw importProblem(name, address, error)
  }
  const { plugin, default: fallback } = module
  if (typeof plugin === 'function' && 'spec' in plugin) {
    const declared = plugin as HostPlugin
    if (isPath(name)) await requireListedMigrations(dirname(fileURLToPath(address)), declared.spec)
    return declared
  }
  // Packages of the Fastify ecosystem export only their plugin.
  if (plugin === undefined && typeof fallback === 'function' && !('spec' in fallback))
    return fallback as ConfiguredFastifyPlugin['plugin']
  throw new HostError(
    `plugin "${name}" has no export named "plugin" made by definePlugin(), and its default export is no Fastify plugin: write "export const plugin = definePlugin(…)"`,
  )
}

/** Returns a question for the built-in plugin that was probably meant; empty if none is close. */
function suggestName(name: string): string {
  const meant = OWN_NAME.test(name) ? nearest(name, builtInNames()) : null
  return meant === null ? '' : `did you mean "${meant}"? If not, `
}

function importProblem(name: string, address: string, error: unknown): HostError {
  const { code, url, message = String(error) } = Object(error) as { code?: string; url?: string; message?: string }
  // An installed plugin may itself import a missing module.
  if (code === 'ERR_MODULE_NOT_FOUND' && url === address)
    return new HostError(
      `plugin "${name}" is not there; ${suggestName(name)}check its name in "plugins", or install its package`,
      { cause: error },
    )
  return new HostError(
    `plugin "${name}" could not be loaded: ${message.split('\n')[0]}; mend it, or switch it off with "${name}": false`,
    { cause: error },
  )
}

const isPath = (name: string): boolean => name.startsWith('.') || isAbsolute(name)

/** @throws HostError if a migration lies in the folder of a plugin that does not list it: it would never run */
export async function requireListedMigrations(
  folder: string,
  { name, migrations = {} }: Pick<PluginSpec, 'name' | 'migrations'>,
): Promise<void> {
  const files = await readdir(join(folder, 'migrations')).catch(() => [])
  const missing = files.find(file => /^\d{4}_\w+\.[jt]s$/.test(file) && !(parse(file).name in migrations))
  if (missing !== undefined)
    throw new HostError(
      `plugin ${name}: ${missing} is not among the migrations of ${name}; add it to them, or delete it`,
    )
}

async function locate(name: string, folder: string): Promise<string> {
  if (isPath(name)) return pathToFileURL(resolve(folder, name)).href
  if (OWN_NAME.test(name)) return new URL(`${name}/index.${SOURCE ? 'ts' : 'js'}`, PLUGINS_FOLDER).href
  const manifest = findManifest(name, folder)
  if (manifest === undefined)
    throw new HostError(`plugin "${name}" is not installed; run npm install ${name} in ${folder}`)
  const { exports, main } = JSON.parse(await readFile(manifest, 'utf8')) as { exports?: unknown; main?: string }
  return pathToFileURL(resolve(dirname(manifest), entryOf(exports) ?? main ?? 'index.js')).href
}

/** Finds the manifest of a package, resolved from a folder. */
function findManifest(name: string, folder: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(resolve(folder, 'index.js')))
  } catch {
    return undefined
  }
}

/** Returns the `.` entry of a package's exports for the conditions of an import. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (typeof exports !== 'object' || exports === null) return undefined
  const map = exports as Record<string, unknown>
  return entryOf(map['.'] ?? map['node'] ?? map['import'] ?? map['default'])
}
