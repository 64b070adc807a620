import { failureTranslation } from './portal/failure-news.ts'

/** Everything that templates add to pages of the portal. */
export const contributions = [failureTranslation]
