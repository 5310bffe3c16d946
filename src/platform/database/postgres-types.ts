// How values of PostgreSQL become values here.
import pg from 'pg';

/** count(*) and bigint arrive as text; all our numbers fit a double. */
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;
