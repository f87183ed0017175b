import { Row, sql, type Statement } from "limmat/database";
import type { Profile } from "./entity.ts";

/** The columns of a profile, to be listed beside others. */
export const profileRow = { username: Row.text, bio: Row.text, image: Row.text, following: Row.bool };

/** The same in a statement that calls the table `p`, as the viewer sees them. */
export const profileColumns = (viewer: string | undefined): Statement<unknown> =>
  sql`p.username, p.bio, p.image,
    exists (select 1 from follows where author_id = p.user_id and user_id = ${viewer ?? null}) as following`;

/** Gathers the columns of a profile under `author`. */
export const withAuthor = <R extends Profile>({ username, bio, image, following, ...others }: R) => ({
  ...others,
  author: { username, bio, image, following },
});
