export const migrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_changes_of_no_item': () => import('./0002_changes_of_no_item.ts'),
}
