import type { User } from "limmat";
import { text } from "../../language/language.ts";

/** Returns the name of a user, or the e-mail address, for people who may see it: members of the same entry. */
export const memberLabel = (person: User.User): string => nameOf(person) ?? person.email;

/** Returns the label of a user for a viewer. Only administrators see the e-mail address of a user without a name. */
export function labelFor(viewer: User.User, person: User.User): string {
  if (viewer.admin) return memberLabel(person);
  const placeholder = viewer.id === person.id ? text.person.you : text.person.unnamed({ id: person.id.slice(0, 8) });
  return nameOf(person) ?? placeholder;
}

function nameOf({ given_name, name, username }: User.User): string | undefined {
  const fullName = [given_name, name].filter((part) => part !== undefined).join(" ");
  return fullName === "" ? username : fullName;
}
