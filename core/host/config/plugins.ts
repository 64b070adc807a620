import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HostError } from '../../plugin/errors.ts'
import { nearest } from '../../plugin/nearest.ts'
import type { HostPlugin } from '../../plugin/plugin.ts'
import type { Config } from './schema.ts'

export interface ConfiguredPlugin {
  readonly plugin: HostPlugin
  readonly options: object
}

/** A plain Fastify plugin from the config, without a declaration. */
export interface ConfiguredFastifyPlugin {
  /** Its key in the config. */
  readonly name: string
  readonly plugin: FastifyPluginAsync | FastifyPluginCallback
  readonly options: object
}

const SOURCE = import.meta.url.endsWith('.ts')
const PLUGINS_FOLDER = new URL('../../../plugins/', import.meta.url)
const OWN_NAME = /^[a-z][a-z0-9_]*$/

/**
 * Imports all enabled plugins. Names without / or . are built-in plugins, other names are packages or paths.
 * @param folder base folder of packages and paths: the folder of the operator's config file
 * @throws HostError that names the entry and the fix
 */
export async function loadPlugins(config: Config, folder: string): Promise<ConfiguredPlugin[]> {
  const loaded = await Promise.all(enabledEntries(config).map(entry => load(entry, folder)))
  return loaded.flatMap(({ plugin, options }) => ('spec' in plugin ? { plugin, options } : []))
}

/** Imports the packages and paths of the config that are plain Fastify plugins, in config order. @throws HostError */
export async function loadFastifyPlugins(config: Config, folder: string): Promise<ConfiguredFastifyPlugin[]> {
  const foreign = enabledEntries(config).filter(({ name }) => !OWN_NAME.test(name))
  const loaded = await Promise.all(foreign.map(entry => load(entry, folder)))
  return loaded.flatMap(({ name, plugin, options }) => ('spec' in plugin ? [] : { name, plugin, options }))
}

interface Entry {
  readonly name: string
  readonly options: object
}

function enabledEntries({ plugins }: Config): readonly Entry[] {
  return Object.entries(plugins).flatMap(([name, options]) =>
    options === false ? [] : { name, options: typeof options === 'object' ? options : {} },
  )
}

async function load({ name, options }: Entry, folder: string) {
  return { name, options, plugin: await importPlugin(name, folder) }
}

/** Imports the disabled plugins that are installed. */
export async function loadOffPlugins(config: Config, folder: string): Promise<HostPlugin[]> {
  const disabled = Object.keys(config.plugins).filter(key => config.plugins[key] === false)
  const found = await Promise.all(disabled.map(async key => importPlugin(key, folder).catch(() => null)))
  return found.filter(plugin => plugin !== null && 'spec' in plugin)
}

/**
 * Finds the disabled built-in plugin that has a tool; null if there is none.
 * Third-party plugins are not searched, because their code must not run while they are disabled.
 */
export async function findOffPluginOf(config: Config, tool: string): Promise<string | null> {
  const disabled = Object.keys(config.plugins).filter(key => config.plugins[key] === false && OWN_NAME.test(key))
  for (const key of disabled) {
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
  if (typeof plugin === 'function' && 'spec' in plugin) return plugin as HostPlugin
  // Packages of the Fastify ecosystem export only their plugin.
  if (plugin === undefined && typeof fallback === 'function' && !('spec' in fallback))
    return fallback as ConfiguredFastifyPlugin['plugin']
  throw new HostError(
    `plugin "${name}" has no export named "plugin" made by definePlugin(), and its default export is no Fastify plugin`,
  )
}

/** Returns a question for the built-in plugin that was probably meant; empty if none is close. */
function suggestName(name: string): string {
  const folders = readdirSync(PLUGINS_FOLDER, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const meant = OWN_NAME.test(name)
    ? nearest(
        name,
        folders.map(folder => folder.name),
      )
    : null
  return meant === null ? '' : `did you mean "${meant}"? If not, `
}

function importProblem(name: string, address: string, error: unknown): HostError {
  const { code, url, message } = error as NodeJS.ErrnoException & { url?: string }
  // An installed plugin may itself import a missing module.
  if (code === 'ERR_MODULE_NOT_FOUND' && url === address)
    return new HostError(
      `plugin "${name}" is not there; ${suggestName(name)}check its name in "plugins", or install its package`,
      {
        cause: error,
      },
    )
  return new HostError(
    `plugin "${name}" could not be loaded: ${message.split('\n')[0]}; mend it, or switch it off with "${name}": false`,
    { cause: error },
  )
}

async function locate(name: string, folder: string): Promise<string> {
  if (name.startsWith('.') || isAbsolute(name)) return pathToFileURL(resolve(folder, name)).href
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
