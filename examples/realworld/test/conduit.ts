// The API as its clients meet it, and people who use it.
import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import { Cleaner, Configuration } from "limmat";
import * as Account from "../app/domain/account/account.ts";
import { app } from "../run/run.ts";
import { migration } from "../service/service.ts";
import type * as Document from "../web/view/document.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

before(async () => {
  await app.start({ server: false });
  await migration.runAll();
});
beforeEach(() => Cleaner.cleanAll());
after(() => app.stop());

/** What was answered. The body is what JSON gave, `undefined` when there was none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** All that bodies may hold; which of it is there is what the tests are about. */
type Body = ReturnType<typeof Document.user> &
  ReturnType<typeof Document.profile> &
  ReturnType<typeof Document.article> &
  ReturnType<typeof Document.articles> &
  ReturnType<typeof Document.comment> &
  ReturnType<typeof Document.comments> &
  ReturnType<typeof Document.tags> & { readonly errors: { readonly body: readonly string[] } };

export const password = "a meadow of cats";

/** Asks the API. A text is sent as it is, all else as JSON. */
export async function ask(
  method: string,
  path: string,
  sent?: unknown,
  authorization?: string,
  headers: Readonly<Record<string, string>> = sent === undefined ? {} : { "content-type": "application/json" },
): Promise<Answer> {
  const response = await app.request(`/api${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: typeof sent === "string" ? sent : JSON.stringify(sent) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** Somebody who uses the API. */
export class Person {
  readonly authorization: string | undefined;

  constructor(token?: string) {
    this.authorization = token === undefined ? undefined : `Token ${token}`;
  }

  readonly request = (method: string, path: string, body?: unknown): Promise<Answer> =>
    ask(method, path, body, this.authorization);
  readonly get = (path: string): Promise<Answer> => this.request("GET", path);
  readonly post = (path: string, body?: unknown): Promise<Answer> => this.request("POST", path, body);
  readonly put = (path: string, body: unknown): Promise<Answer> => this.request("PUT", path, body);
  readonly delete = (path: string): Promise<Answer> => this.request("DELETE", path);

  /** Publishes an article, and gives its slug. */
  async publish(title: string, tagList: readonly string[] = []): Promise<string> {
    const article = { title, description: `About ${title}`, body: `All of ${title}`, tagList };
    const { status, body } = await this.post("/articles", { article });
    assert.equal(status, 201);
    return body.article.slug;
  }
}

export const guest = new Person();

/** Somebody with an account. */
export async function member(username: string): Promise<Person> {
  const result = await Account.register({ username, email: `${username}@example.com`, password });
  assert.ok(result.ok);
  return new Person(await Account.createToken(result.value));
}

/** The slugs of a list, and how many articles there are in all. */
export async function slugs(answer: Promise<Answer>): Promise<readonly unknown[]> {
  const { status, body } = await answer;
  assert.equal(status, 200);
  return [body.articles.map(({ slug }) => slug), body.articlesCount];
}
