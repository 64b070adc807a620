import { defineWords, portalPages, portalProjects } from '../portal/index.ts'
import { roleIn } from './access.ts'
import { FEATURES, featureOn, type Feature } from './features.ts'
import { requireProject } from './find.ts'
import { featureTitles } from './feature-names.ts'
import { ownFeaturesPage, PROJECT_FEATURES, projectFeaturesPage } from './portal/features.ts'
import { generalPage } from './portal/general.ts'
import { invitationsPage } from './portal/invitations.ts'
import { projectPage, projectsPage } from './portal/list.ts'
import { membersPage } from './portal/members.ts'
import { readProjects } from './project.repository.ts'

const pages = [
  projectsPage,
  projectPage,
  generalPage,
  membersPage,
  projectFeaturesPage,
  ownFeaturesPage,
  invitationsPage,
]

export const contributions = [
  ...pages.map(page => portalPages(page)),
  portalProjects({
    find: requireProject,
    roleIn,
    readAll: readProjects,
    featuresOff: (ctx, project) => Object.keys(FEATURES).filter(name => !featureOn(ctx, name as Feature, project)),
    featureName: defineWords(featureTitles),
    featuresPath: PROJECT_FEATURES,
  }),
]
