import * as Account from "../app/domain/account/account.ts";
import * as Article from "../app/domain/article/article.ts";
import * as Comment from "../app/domain/comment/comment.ts";
import * as Profile from "../app/domain/profile/profile.ts";

const password = "a meadow of cats";

/** Creates two users and an article, unless the users exist. */
export async function demo(): Promise<void> {
  const [ada, bob] = [await register("ada"), await register("bob")];
  if (ada === undefined || bob === undefined) return;
  const { slug } = await Article.insert(
    {
      title: "How to read a lock file",
      description: "Slowly, and with tea",
      body: "Begin at the top. **Stop** where it makes no sense.",
      tagList: ["npm", "reading"],
    },
    ada.id,
  );
  await Profile.follow("ada", bob.id);
  await Article.favorite(slug, bob.id);
  await Comment.insert(slug, { body: "I had coffee. It worked, too." }, bob.id);
}

async function register(username: string): Promise<Account.Account | undefined> {
  const result = await Account.register({ username, email: `${username}@example.com`, password });
  return result.ok ? result.value : undefined;
}
