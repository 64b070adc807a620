import type { FastifyInstance } from 'fastify'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const TYPES = {
  'portal.css': 'text/css; charset=utf-8',
  'setup.js': 'text/javascript; charset=utf-8',
  'passkey.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const
type AssetName = keyof typeof TYPES

/** Read once at startup: the files are small, and their URLs contain a hash of their content. */
const assets = Object.entries(TYPES).map(([name, type]) => {
  const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url))
  const [stem, extension] = name.split('.')
  return { name, type, bytes, path: `/portal/assets/${stem}.${hash('sha256', bytes, 'hex').slice(0, 16)}.${extension}` }
})

export function assetPath(name: AssetName): string {
  return assets.find(asset => asset.name === name)!.path
}

/** Serves styles, scripts and images. Browsers cache them permanently, because a change changes the URL. */
export function serveAssets(app: FastifyInstance): void {
  for (const { path, type, bytes } of assets) {
    app.get(path, (_request, reply) =>
      reply.headers({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }).send(bytes),
    )
  }
}
