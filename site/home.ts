import { readFileSync } from "node:fs";
import { join } from "node:path";
import GithubSlugger from "github-slugger";
import { html, type Html, unsafeHtml } from "../src/html/index.ts";
import type { Highlight } from "./highlight.ts";
import { relativeUrl, root, type Site } from "./pages.ts";

/** Part of the framework, with the pages that explain it. */
interface Feature {
  readonly title: string;
  readonly text: string;
  readonly pages: readonly (readonly [title: string, source: string])[];
}

const guide = (title: string, name: string): readonly [string, string] => [title, `docs/guide/${name}.md`];

const features: readonly Feature[] = [
  {
    title: "Pages and APIs",
    text: "Typed paths, templates that escape by context, sessions and CSRF protection by default, and OpenAPI from the routes.",
    pages: [guide("Web", "web"), guide("HTML", "html"), guide("Resources", "resources"), guide("OpenAPI", "openapi")],
  },
  {
    title: "Forms",
    text: "One schema gives the types, the validation, the messages, the form on the page and the JSON.",
    pages: [guide("Forms", "forms"), guide("Components", "components"), guide("Uploads", "uploads")],
  },
  {
    title: "Data",
    text: "SQLite, PostgreSQL and MariaDB with the same values, errors and rules. Bound statements, typed rows, nested transactions.",
    pages: [
      guide("Tables", "tables"),
      guide("Database", "database"),
      guide("Migrations", "migrations"),
      guide("Cache", "cache"),
    ],
  },
  {
    title: "Users",
    text: "Registration, confirmed addresses, login that reveals nothing, sessions that end immediately, API tokens.",
    pages: [
      guide("Users", "users"),
      guide("Login", "login"),
      guide("Authorization", "authorization"),
      guide("Policies", "policies"),
      guide("Tokens", "tokens"),
    ],
  },
  {
    title: "Background work",
    text: "Jobs in your database, dispatched in the transaction. Schedules that run once over all processes. Mail with an inbox in development.",
    pages: [guide("Queue", "queue"), guide("Schedule", "schedule"), guide("E-mail", "email")],
  },
  {
    title: "Tests and operations",
    text: "Tests without sockets, rolled back at the end. One checklist for production, metrics, and workers that are replaced without losing a request.",
    pages: [
      guide("Testing", "testing"),
      guide("Production", "production"),
      guide("Metrics", "metrics"),
      guide("Security", "security"),
    ],
  },
];

/** Returns the content of the first page. Its example is the first one of the README, which the tests check. */
export function renderHome(site: Site, highlight: Highlight): Html {
  const { home } = site;
  const to = (path: string): string => relativeUrl(home.url, path);
  const link = (title: string, source: string, className = ""): Html | false => {
    const page = site.pageBySource.get(source);
    return page !== undefined && html`<a class="${className}" href="${to(page.url)}">${title}</a>`;
  };
  const example = readExample(home.markdown);
  const picture = readPicture(home.markdown);
  return html`<section class="hero">
      <div>
        <h1>The whole web application, in one package</h1>
        <p class="lead">
          limmat is a web framework for TypeScript: pages, forms, databases, users, mail, jobs and a command line. The
          parts fit, and each one can be replaced.
        </p>
        <p class="actions">
          ${link("Getting started", "docs/guide/getting-started.md", "button")}
          ${link("Why limmat", "docs/why.md", "button secondary")}
        </p>
        <div class="code command">
          <pre tabindex="0"><code>npm create limmat my-app</code></pre>
        </div>
      </div>
      <img src="${to(picture.path)}" alt="${picture.description}" width="${picture.width}" height="${picture.height}" />
    </section>
    <dl class="facts">
      ${facts().map(
        ([figure, text]) =>
          html`<div>
            <dt>${figure}</dt>
            <dd>${text}</dd>
          </div>`,
      )}
    </dl>
    <section class="part" id="${example.id}">
      <h2>${example.title}</h2>
      <p>Services, routes and middlewares are values that you list. There are no decorators and no build step.</p>
      <div class="code">
        <pre tabindex="0"><code>${unsafeHtml(highlight(example.code, "ts"))}</code></pre>
      </div>
    </section>
    <section class="part">
      <h2>What is in it</h2>
      <p>
        Every part works alone and with the others. A generator writes a model with its table, migration, pages and
        tests, and you change the code from there.
      </p>
      <div class="grid">
        ${features.map(
          ({ title, text, pages }) =>
            html`<div>
              <h3>${title}</h3>
              <p>${text}</p>
              <p class="links">${pages.map(([name, source]) => link(name, source))}</p>
            </div>`,
        )}
      </div>
    </section>
    <section class="part paths">
      <h2>Where to go</h2>
      <ul>
        ${paths.map(([title, source, text]) => {
          const anchor = link(title, source);
          return anchor !== false && html`<li>${anchor}<span>${text}</span></li>`;
        })}
      </ul>
    </section>`;
}

const paths: readonly (readonly [title: string, source: string, text: string])[] = [
  ["Getting started", "docs/guide/getting-started.md", "From an empty folder to a tested resource, in ten minutes."],
  ["Tutorial", "docs/tutorial/README.md", "An issue tracker, from its first page to production."],
  ["Guide", "docs/guide/README.md", "Pages by task. The tests check or run every example."],
  ["Coming from another framework", "docs/coming-from/README.md", "Its terms, and what they are called here."],
  ["API reference", "docs/reference/api/README.md", "Every export of every entry point."],
  ["Benchmarks", "docs/benchmarks.md", "What a request costs, next to other frameworks, with all conditions."],
];

/** Figures of the project, read from its files. */
function facts(): readonly (readonly [figure: string, text: string])[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: object;
  };
  const errorPage = readFileSync(join(root, "docs/reference/errors.md"), "utf8");
  const errorCodes = [...errorPage.matchAll(/^\| `E_/gm)].length;
  return [
    [String(Object.keys(dependencies).length), "run-time dependencies, and no install script"],
    ["0", "build steps: Node runs the TypeScript sources, in development and in production"],
    ["3", "databases, which pass the same tests: SQLite, PostgreSQL and MariaDB"],
    [String(errorCodes), "error codes, each documented with its remedy"],
  ];
}

/** Returns the first example of the README, and the heading above it. */
function readExample(readme: string): { readonly title: string; readonly id: string; readonly code: string } {
  const [, before = "", code = ""] = /^([^]*?)^```ts\n([^]*?)^```$/m.exec(readme) ?? [];
  const title = [...before.matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "Example";
  return { title, id: new GithubSlugger().slug(title), code: code.trimEnd() };
}

/** Returns the first picture of the README. Its size, from the header of the PNG file, reserves the space before it is loaded. */
function readPicture(readme: string): {
  readonly path: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
} {
  const [, description = "", path = ""] = /!\[([^\]]*)\]\(docs\/([^)]*\.png)\)/.exec(readme) ?? [];
  const header = readFileSync(join(root, "docs", path)).subarray(16, 24);
  return { path, description, width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
}
