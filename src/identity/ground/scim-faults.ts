// The errors of SCIM, whose texts follow RFC 7644. Part of the table in faults.ts.
export const scimFaults = {
  'scim.invalid_filter': { status: 400, text: 'The filter cannot be used: {why}.' },
  'scim.too_many': {
    status: 400,
    text: 'The filter has to check more than {limit} resources. Filter by userName, externalId or e-mail.',
  },
  'scim.invalid_path': { status: 400, text: 'The path {path} cannot be used: {why}.' },
  'scim.no_target': { status: 400, text: 'The path {path} matches nothing that can be changed.' },
  'scim.mutability': { status: 400, text: 'The attribute {name} cannot be changed.' },
  'scim.invalid_value': { status: 400, text: 'The value of {name} cannot be used: {why}.' },
  'scim.invalid_syntax': { status: 400, text: 'The request is not valid SCIM: {why}.' },
  'scim.invalid_cursor': { status: 400, text: 'The cursor does not belong to this list.' },
  'scim.invalid_count': { status: 400, text: 'The count must be a number of at least 0.' },
  'scim.changed': { status: 412, text: 'The resource was changed since the version that If-Match names.' },
  'scim.connection_not_found': { status: 404, text: 'Could not find the provisioning connection {id}.' },
  'scim.bulk_too_large': { status: 413, text: 'A bulk request may have {limit} operations at most.' },
  'scim.bulk_reference': { status: 409, text: 'The bulkId {id} does not refer to a resource.' },
  'scim.administrator_shielded': {
    status: 403,
    text: 'A provisioning connection cannot change what belongs to an administrator.',
  },
} as const;
