export const coreMigrations = {
  '0001_init': () => import('./0001_init.ts'),
  '0002_oauth': () => import('./0002_oauth.ts'),
  '0003_page_confirmations': () => import('./0003_page_confirmations.ts'),
  '0004_audit': () => import('./0004_audit.ts'),
  '0005_audit_without_names': () => import('./0005_audit_without_names.ts'),
  '0006_compatibility': () => import('./0006_compatibility.ts'),
  '0007_access_ended': () => import('./0007_access_ended.ts'),
}
