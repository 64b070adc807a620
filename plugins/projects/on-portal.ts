import { portalPages } from '../portal/index.ts'
import { ownFeaturesPage, projectFeaturesPage } from './portal/features.ts'
import { generalPage } from './portal/general.ts'
import { invitationsPage } from './portal/invitations.ts'
import { projectPage, projectsPage } from './portal/list.ts'
import { membersPage } from './portal/members.ts'

/** Everything that projects add to the portal. */
export const contributions = [
  projectsPage,
  projectPage,
  generalPage,
  membersPage,
  projectFeaturesPage,
  ownFeaturesPage,
  invitationsPage,
].map(page => portalPages(page))
