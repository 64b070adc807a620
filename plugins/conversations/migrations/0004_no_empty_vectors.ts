import { defineMigration } from 'tasuki/entities'

/** Texts without words had zero vectors. Rows keep their model, so that they are not embedded again. */
export const migration = defineMigration(`
  update conversations.threads set code = null, vector = null where 0 = all (vector) or 'NaN' = any (vector);
  update conversations.messages set code = null, vector = null where 0 = all (vector) or 'NaN' = any (vector);
`)
