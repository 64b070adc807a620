import type { FastifyInstance } from 'fastify'
import type { HostServices } from 'tasuki/plugin'

export function serveProvider(_app: FastifyInstance, _services: HostServices): void {}
