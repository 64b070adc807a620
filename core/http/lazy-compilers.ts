import type { FastifyServerOptions } from 'fastify'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
type Build = (...args: unknown[]) => never

/** Calls what a package makes, and loads it with the first call. */
function lazily(name: string): Build {
  let build: Build | undefined
  return (...args) => {
    build ??= (require(name) as () => Build)()
    return build(...args)
  }
}

/**
 * Fastify's own compilers of the schemas of routes, loaded with the first route that has one. Tools are checked by the registry, so that
 * few deployments have any, and a start need not wait for a hundred modules. Names of headers have to be in lower case in such schemas.
 */
export const lazyCompilers: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: {
    buildValidator: lazily('@fastify/ajv-compiler'),
    buildSerializer: lazily('@fastify/fast-json-stringify-compiler'),
  },
}
