import assert from 'node:assert/strict'
import { ERROR_CODES } from 'tasuki/plugin'
import { verifies } from '../verifies.ts'

verifies('errors.closed_codes', 'the error codes are a closed list', () => {
  assert.deepEqual(
    ERROR_CODES.join(' '),
    'invalid_argument missing_argument unknown_argument invalid_query not_found ambiguous_ref forbidden insufficient_scope ' +
      'feature_disabled conflict stale_write cycle limit_exceeded workflow_mismatch transition_not_allowed frozen has_children ' +
      'in_use not_user_owned sprint_closed area_archived quota_exceeded unsupported_media_type confirmation_required ' +
      'confirmation_invalid idempotency_conflict rate_limited unavailable internal',
  )
})
