/**
 * What the access claim loads with the credential, as one jsonb value: the user's email, time zone and features, and the projects shared
 * with the user `u`.
 */
export const accessQuery = `select jsonb_build_object(
      'email', u.email,
      'timeZone', u.time_zone,
      'features', (select s.features from projects.settings s where s.owner_id = u.id),
      'overrides', (select jsonb_agg(jsonb_build_object('projectId', p.id, 'features', p.features)) from projects.projects p where p.owner_id = u.id and p.features <> '{}'::jsonb),
      'shared', (select jsonb_agg(jsonb_build_object('ownerId', m.owner_id, 'projectId', m.project_id, 'role', m.role,
          'key', p.key, 'owner', o.email, 'timeZone', o.time_zone,
          'namesake', (select n.id from projects.projects n where n.owner_id = u.id and n.key = p.key),
          'features', coalesce(s.features, '{}'::jsonb) || p.features))
        from projects.members m join projects.projects p on p.owner_id = m.owner_id and p.id = m.project_id
          join core.users o on o.id = m.owner_id left join projects.settings s on s.owner_id = m.owner_id where m.user_id = u.id))`
