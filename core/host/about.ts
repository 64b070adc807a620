/** Description of the service for clients and catalogues; at most 100 characters. */
export const DESCRIPTION = 'Self-hosted tasks, notes and calendar, for AI clients and the people who use them.'

/** The portal's icon, inline so that clients without access to the service can show it. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b3382c"/><path d="M7 24 25 8" stroke="#fff" stroke-width="5" stroke-linecap="round"/></svg>`

export const ICONS = [
  {
    src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
] as const
