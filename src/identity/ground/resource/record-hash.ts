// How records of the OpenID provider are named in the database: nobody who reads it can use them.
import { createHash } from 'node:crypto';

export const hashOf = (model: string, id: string): string => createHash('sha256').update(`${model}\0${id}`).digest('base64url');

export const hashOfSession = (uid: string): string => hashOf('uid', uid);
