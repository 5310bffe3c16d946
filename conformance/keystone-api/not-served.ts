// Methods and paths of Keystone that are not served, with the reason. What is neither served nor here is still to be done.
export const NOT_SERVED: readonly (readonly [RegExp, string])[] = [];
