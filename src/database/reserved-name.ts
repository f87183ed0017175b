/** Returns true for a name that belongs to the framework: its statements have aliases with this prefix. */
export const isReservedName = (name: string): boolean => /^limmat_/i.test(name);
