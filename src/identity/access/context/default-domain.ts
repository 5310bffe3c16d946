/** The id of the domain that is always there. Requests and pages that name no domain mean this one. */
export const DEFAULT_DOMAIN = 'default';
