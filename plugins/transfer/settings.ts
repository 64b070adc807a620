import { defineConfig, Type } from 'tasuki/plugin'

const MB = 1024 * 1024

export const settings = defineConfig(
  'transfer',
  Type.Object({
    upload_bytes: Type.Integer({
      default: 20 * MB,
      minimum: 1024,
      maximum: 50 * MB,
      description: 'Bytes of a file that is imported in the portal; the command line takes 50 MB.',
    }),
    open_uploads: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 1000,
      description:
        'Uploaded files that a user may have waiting for imports; each is deleted after its import, or after a day.',
    }),
  }),
)
