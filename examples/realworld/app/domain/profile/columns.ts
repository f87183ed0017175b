import { Row, sql, type Statement } from "limmat/database";
import type { Profile } from "./entity.ts";

/** Row fields of a profile, for rows that include one. */
export const profileRow = { username: Row.text, bio: Row.text, image: Row.text, following: Row.bool };

/** Selected columns of a profile, from the table alias `p`. `viewer` is the id of the current user. */
export const profileColumns = (viewer: string | undefined): Statement<unknown> =>
  sql`p.username, p.bio, p.image,
    exists (select 1 from follows where author_id = p.user_id and user_id = ${viewer ?? null}) as following`;

/** Moves the columns of a profile into the property `author`. */
export const withAuthor = <R extends Profile>({ username, bio, image, following, ...others }: R) => ({
  ...others,
  author: { username, bio, image, following },
});
