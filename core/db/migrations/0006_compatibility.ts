import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  create table core.migration_compatibility (
    migration text not null, compatible_from text not null, primary key (migration)
  );
`)
