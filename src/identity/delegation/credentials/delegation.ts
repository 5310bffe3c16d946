// What an EC2 key gives to the tokens that were made with it: all roles of its owner in one project.
import { type DelegationReader, tagOf } from '../../access/context/index.ts';
import { EC2 } from './content.ts';
import { findCredential } from './credentials.store.ts';

export const ec2Delegation: DelegationReader = async (reader, id) => {
  const row = await findCredential(reader, id);
  if (row?.type !== EC2 || row.project_id === null) return undefined;
  return {
    userId: row.user_id,
    giverId: row.user_id,
    alsoActive: [],
    scope: { kind: 'project', id: row.project_id },
    roleIds: undefined,
    lostRole: 'ends the role',
    epoch: row.epoch,
    expiresAt: null,
    tags: [tagOf.delegation({ kind: 'ec2', id })],
    tokenSection: {},
    userSection: {},
    isUnrestricted: false,
    accessRules: undefined,
  };
};
