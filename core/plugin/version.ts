import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

const manifest = findPackageJSON(import.meta.url)!

/** Folder of this package, of the sources as of the compiled files. */
export const PACKAGE_FOLDER = dirname(manifest)

/** Version in package.json. */
export const VERSION: string = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
