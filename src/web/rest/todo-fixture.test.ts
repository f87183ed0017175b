// Fixture of the resource tests: to-dos in memory, their pages, and a browser. It has no tests.
import { error, ok, type Result } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import * as Flash from "../flash/flash.ts";
import { type Ask, Browser } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { csrf } from "../middleware/csrf.ts";
import { flash } from "../middleware/flash.ts";
import { session } from "../middleware/session.ts";
import type { Middleware } from "../../http/router/handler.ts";
import type { CompleteQuery } from "../query/query.ts";
import { choose, type Router, type ScopeOptions } from "../../http/router/route.ts";
import type { Refusal, ResourceService, ResourceView } from "./contract.ts";

export interface TodoInput {
  readonly title: string;
  readonly done: boolean;
  readonly priority: number;
  readonly code: string | undefined;
}

export const schema: Schema.RecordSchema<TodoInput> = Schema.record({
  title: Schema.string({ validate: (title) => (title.trim() === "" ? "Please enter a title" : undefined) }),
  done: Schema.bool(),
  priority: Schema.int({ min: 1, max: 5, default: 3 }),
  code: Schema.optional(Schema.string({ sensitive: true })),
});

export interface Todo extends TodoInput {
  readonly id: string;
  readonly owner: string;
  readonly created_at: Date;
}

export const idOf = (number: number): string => `0f8fad5b-d9cb-469f-a165-${String(number).padStart(12, "0")}`;

/** Service in memory. It refuses items named "taken", and never deletes items named "kept". */
export class Todos implements ResourceService<Todo, TodoInput> {
  readonly items: Map<string, Todo> = new Map();
  readonly searches: CompleteQuery[] = [];

  constructor(...titles: readonly string[]) {
    for (const title of titles) this.insert({ title, done: false, priority: 3, code: undefined });
  }

  readonly find = (id: string): Todo | undefined => this.items.get(id);

  readonly search = (query: CompleteQuery): readonly [readonly Todo[], number] => {
    this.searches.push(query);
    const { filter = "", limit, offset } = query;
    const found = [...this.items.values()].filter(({ title }) => title.includes(filter));
    return [found.slice(offset, offset + limit), found.length];
  };

  readonly insert = (value: TodoInput): Result<Todo, Refusal> => {
    if (value.title === "taken") return error({ title: "There is one already" });
    if (value.title === "full") return error("The list is full");
    const todo = { ...value, id: idOf(this.items.size + 1), owner: "secret", created_at: new Date(0) };
    this.items.set(todo.id, todo);
    return ok(todo);
  };

  readonly update = (id: string, value: TodoInput): Result<Todo, Refusal> => {
    if (value.title === "taken") return error({ title: "There is one already" });
    const todo = { ...(this.items.get(id) as Todo), ...value };
    this.items.set(id, todo);
    return ok(todo);
  };

  readonly delete = (todo: Todo): Result<undefined> => {
    if (todo.title === "kept") return error("This one stays");
    this.items.delete(todo.id);
    return ok();
  };
}

const fields = (csrfToken: string, form: Form): Html => {
  const [title, titleError] = Form.find(form, "title");
  return html`<input name="csrf" value="${csrfToken}" /><input name="title" value="${title}" />
    <p>${titleError}</p>
    <input type="checkbox" name="done" ?checked=${Form.isChecked(form, "done")} />
    <input name="priority" value="${Form.find(form, "priority")[0]}" />
    <p>${Form.find(form, "priority")[1]}</p>
    <input name="code" value="${Form.find(form, "code")[0]}" />`;
};

export const view: ResourceView<Todo> = {
  index: (request, token, [todos, total], query) =>
    html`<b>${Flash.notice(request)}</b
      ><i>${Flash.alert(request)}</i>${total}:${todos.map(({ title }) => html`<li>${title}</li>`)}
      <input name="csrf" value="${token}" /><input name="filter" value="${query.filter}" />`,
  new: (request, token, form) => html`<i>${Flash.alert(request)}</i>${fields(token, form)}`,
  show: (request, todo) =>
    html`<b>${Flash.notice(request)}</b>
      <h1>${todo.title}</h1>`,
  edit: (request, token, form, todo) =>
    html`<i>${Flash.alert(request)}</i>
      <h1>${todo.title}</h1>
      ${fields(token, form)}`,
};

/** Middlewares of a web site. */
export const site: readonly Middleware[] = [flash(), session(), csrf()];

/** Returns a client of an application with these routes. */
export function application(
  routers: readonly Router[],
  middlewares: readonly Middleware[] = site,
  scoping: ScopeOptions = {},
): Ask {
  const { fetch } = service({ router: choose(routers, { ...scoping, middlewares }) });
  return (path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init));
}

/** Returns the text of a page without white space between tags and text. */
export async function textOf(page: globalThis.Response | Promise<globalThis.Response>): Promise<string> {
  return (await (await page).text()).replace(/\s*(<|\/?>)\s*/g, (_, tag: string) => tag.replace("/", ""));
}

/** Visitor who submits forms like a browser: with the token of the page. */
export class Visitor extends Browser {
  async submit(page: string, action: string, entries: Record<string, string>): Promise<globalThis.Response> {
    return await this.post(action, { ...entries, csrf: await this.token(page) });
  }

  async token(page: string): Promise<string> {
    return /name="csrf" value="([^"]*)"/.exec(await (await this.get(page)).text())?.[1] ?? "";
  }
}
