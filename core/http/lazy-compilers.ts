import type { FastifyServerOptions } from 'fastify'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
type Build = (...args: unknown[]) => never

/** Wraps the factory of a package, which is loaded on the first call. */
function loadLazily(name: string): Build {
  let build: Build | undefined
  return (...args) => {
    build ??= (require(name) as () => Build)()
    return build(...args)
  }
}

/**
 * Fastify's compilers of route schemas, loaded with the first route that has a schema. The registry validates tools, so few deployments
 * have such routes, and the start does not load a hundred modules. Header names in such schemas must be lower case.
 */
export const lazyCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: loadLazily('@fastify/ajv-compiler'),
    buildSerializer: loadLazily('@fastify/fast-json-stringify-compiler'),
  },
}
