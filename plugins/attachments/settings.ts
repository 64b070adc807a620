import { defineConfig, httpAddress, Type, type Static } from 'tasuki/plugin'

const MB = 1024 * 1024

/** Maximum size of `content_base64` in decoded bytes. */
export const INLINE_LIMIT = 5 * MB
/** Maximum size of a file sent by a form of the portal, which is kept in memory, in bytes. */
export const FORM_LIMIT = 20 * MB
/** Maximum size of a file sent to an upload URL, in bytes. */
export const UPLOAD_LIMIT = 100 * MB
/** Lifetime of an upload URL, and time limit of an upload that has started, in minutes. */
export const UPLOAD_MINUTES = 15
/** Lifetime of a download URL in minutes. */
export const DOWNLOAD_MINUTES = 5

const S3 = Type.Object(
  {
    bucket: Type.String({ minLength: 1 }),
    prefix: Type.String({
      default: '',
      description: 'Prefix of every key; deployments that share a bucket need different ones.',
    }),
    region: Type.Optional(Type.String({ description: 'Default: AWS_REGION of the environment.' })),
    endpoint: Type.Optional(httpAddress('Address of a server other than AWS.')),
    force_path_style: Type.Boolean({
      default: false,
      description: 'Puts the bucket into the path instead of the host name.',
    }),
  },
  {
    additionalProperties: false,
    description: 'S3-compatible storage instead of DATA_DIR/attachments; credentials come from the environment.',
  },
)
export type S3Settings = Static<typeof S3>

export const settings = defineConfig(
  'attachments',
  Type.Object({
    quota_bytes: Type.Integer({
      default: 5 * 1024 * MB,
      minimum: 0,
      description: 'Bytes of files that each user may store.',
    }),
    pending_uploads: Type.Integer({
      default: 200,
      minimum: 1,
      maximum: 100_000,
      description: 'Maximum number of incomplete uploads of a user; an upload address expires after 15 minutes.',
    }),
    inline_image_bytes: Type.Integer({
      default: MB / 4,
      minimum: 0,
      description:
        'Largest image in bytes that attachments_download returns itself; for larger ones it returns an address.',
    }),
    s3: Type.Optional(S3),
  }),
)
