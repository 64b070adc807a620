import { defineMigration } from 'tasuki/entities'

/** Texts without words had zero vectors, whose cosines are NaN. Rows keep their model, so that they are not embedded again. */
export const migration = defineMigration(`
  update search.documents set code = null, vector = null where 0 = all (vector) or 'NaN' = any (vector);
  do $$ begin
    if to_regclass('search.vectors') is not null then delete from search.vectors where vector_norm(embedding) = 0; end if;
  end $$;
`)
