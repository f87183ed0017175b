import type { User } from "limmat";

/** Returns the name that the teams of a person see. Addresses are for the person alone. */
export const personName = ({ id, name }: Pick<User.User, "id" | "name">): string => name ?? `Person ${id.slice(0, 4)}`;
