// The search of the documentation site, on pages made for the test. `site.long.test.ts` asks questions to the built site.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createSearch, type SearchResults } from "../../site/search.ts";
import { indexPages, type SearchPage } from "../../site/page-index.ts";

type Sections = readonly (readonly [heading: string, text: string])[];

function makePage(path: string, title: string, sections: Sections, options: Partial<SearchPage> = {}): SearchPage {
  return {
    path: `${path}.html`,
    title,
    group: "Guide",
    terms: "",
    weight: 1,
    sections: sections.map(([heading, text]) => ({ id: heading.toLowerCase().replaceAll(" ", "-"), heading, text })),
    ...options,
  };
}

const search = createSearch([
  makePage("queue", "Queue", [
    ["", "Jobs run outside a request."],
    ["Retry", "A failed job is retried <later>."],
  ]),
  makePage("email", "E-mail", [
    ["", "Mails to users."],
    ["Later", "A queue sends mails in jobs."],
  ]),
  makePage("decision", "The queue of jobs", [["", "A queue in a table."]], { weight: 0.2 }),
  makePage("uploads", "Uploads", [["Store", "UploadedFile has the name and size of a file."]], { terms: "multipart" }),
  makePage("reference/api/web.csrf", "Web.Csrf", [["Web.Csrf.find", "Returns the token of a request."]], {
    weight: 0.6,
  }),
  makePage("tables", "Tables", [["Find", "The functions find and findOpt read one row. Generate them."]]),
  makePage("errors", "Errors", [
    ["E_STALE", "The row was changed by another request."],
    ["E_STORAGE", "The file was not stored."],
  ]),
]);

const titles = ({ results }: SearchResults): readonly string[] => results.map(({ title }) => title);

suite("search of the documentation", () => {
  test("lists a page with the word in its title first, and pages of low weight last", () => {
    assert.deepEqual(titles(search("queue")), ["Queue", "E-mail", "The queue of jobs"]);
  });

  test("prefers pages that contain all words, and ignores the words of a question", () => {
    assert.equal(titles(search("How do I retry a job?"))[0], "Queue");
    assert.deepEqual(titles(search("how retry")), titles(search("retry")));
  });

  test("finds the forms of a word and the parts of a name, and no ends of words", () => {
    assert.deepEqual(titles(search("mail")), ["E-mail"]);
    assert.deepEqual(titles(search("retries")), ["Queue"]);
    assert.equal(titles(search("files"))[0], "Uploads");
    assert.deepEqual(titles(search("rate")), []);
  });

  test("finds the words of search-terms.ts", () => {
    assert.deepEqual(titles(search("multipart")), ["Uploads"]);
  });

  test("finds names and error codes in any case", () => {
    assert.equal(titles(search("Web.Csrf.find"))[0], "Web.Csrf");
    assert.equal(titles(search("findOpt"))[0], "Tables");
    const [errors] = search("e_stale").results;
    assert.deepEqual(errors?.sections[0]?.path, "errors.html#e_stale");
  });

  test("corrects a word that no page contains", () => {
    assert.deepEqual(search("uplaods").correctedQuery, "uploads");
    assert.deepEqual(titles(search("mails queuee")), titles(search("mails queue")));
    assert.equal(search("queue").correctedQuery, undefined);
  });

  test("marks the words in escaped text", () => {
    const [queue] = search("<later>").results;
    assert.equal(queue?.sections[0]?.excerpt, "A failed job is retried <mark>&lt;later&gt;</mark>.");
  });

  test("finds nothing for a text without words, or with unknown ones", () => {
    for (const query of ["", "  ", "?!", "xylophone"]) {
      assert.deepEqual(search(query), { total: 0, results: [], correctedQuery: undefined }, query);
    }
  });
});

test("the search index contains the sections of the pages that have a weight", () => {
  const files = {
    "index.html": "<main>No article</main>",
    "404.html": "<main><h1>Not found</h1></main>",
    "site.js": '<article data-search-weight="1">Not a page</article>',
    "guide/queue.html": `<meta name="keywords" content="job &amp; worker" /><nav>Pages</nav>
      <article class="prose" data-search-weight="0.5"><p class="crumbs">Guide · Work</p><h1>Queue <a href="#q"></a></h1>
      <p>Runs <b>jobs</b> later.</p><h2 id="a&amp;b">Retry &lt;T&gt;</h2><ul><li>One</li><li>Two</li></ul>
      <table><tr id="E_X"><td><code>E_X</code></td><td>Wait.</td></tr></table></article><footer>End</footer>`,
  };
  const expected: readonly SearchPage[] = [
    {
      path: "guide/queue.html",
      title: "Queue",
      group: "Guide · Work",
      terms: "job & worker",
      weight: 0.5,
      sections: [
        { id: "", heading: "", text: "Runs jobs later." },
        { id: "a&b", heading: "Retry <T>", text: "One Two" },
        { id: "E_X", heading: "E_X", text: "Wait." },
      ],
    },
  ];
  assert.deepEqual(indexPages(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])), expected);
});
