import { Row, sql } from "limmat/database";
import { database } from "../../../service/service.ts";
import { onConflictDoNothing } from "../on-conflict.ts";
import { profileColumns, profileRow } from "./columns.ts";
import type { ProfileInput, Profile } from "./entity.ts";

const row = Row.record(profileRow);
const detailsRow = Row.record({ username: Row.text, bio: Row.text, image: Row.text });

export const find = (username: string, viewer: string | undefined): Promise<Profile | undefined> =>
  database.findOpt(sql.row(row)`select ${profileColumns(viewer)} from profiles p where p.username = ${username}`);

export const findDetails = (user: string): Promise<ProfileInput> =>
  database.find(sql.row(detailsRow)`select ${sql.columns(detailsRow)} from profiles where user_id = ${user}`);

export const insert = (user: string, { username, bio, image }: ProfileInput): Promise<number> =>
  database.exec(sql`insert into profiles (user_id, username, bio, image)
    values (${user}, ${username}, ${bio}, ${image})`);

export const update = (user: string, { username, bio, image }: ProfileInput): Promise<number> =>
  database.exec(sql`update profiles set username = ${username}, bio = ${bio}, image = ${image}
    where user_id = ${user}`);

export const follow = (username: string, user: string): Promise<number> =>
  database.exec(sql`insert into follows (user_id, author_id)
    select ${user}, user_id from profiles where username = ${username} ${onConflictDoNothing}`);

export const unfollow = (username: string, user: string): Promise<number> =>
  database.exec(sql`delete from follows where user_id = ${user}
    and author_id = (select user_id from profiles where username = ${username})`);
