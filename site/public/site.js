// Search, colours and versions. Pages are complete without this script.
const page = document.documentElement;
const base = new URL(page.dataset.root, location.href);

// Colours: the choice of the visitor, or else of the system.
const themeButton = document.querySelector("[data-theme]");
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  const chosen = page.style.colorScheme;
  const isDark = chosen === "" ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
  const next = isDark ? "light" : "dark";
  page.style.colorScheme = next;
  try {
    localStorage.setItem("limmat-theme", next);
  } catch {
    // Storage is blocked: the choice lasts until the next page.
  }
});

// The current page is visible in the list of pages.
const sidebar = document.querySelector(".sidebar");
const currentLink = sidebar.querySelector('[aria-current="page"]');
if (currentLink !== null) sidebar.scrollTop = currentLink.offsetTop - sidebar.clientHeight / 3;

// Code can be copied, where the page may write to the clipboard: at https addresses and on the own machine.
for (const code of navigator.clipboard === undefined ? [] : document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  // A screen reader says the result.
  button.ariaLive = "polite";
  button.addEventListener("click", async () => {
    const copied = navigator.clipboard.writeText(code.querySelector("code").textContent);
    button.textContent = await copied.then(
      () => "Copied",
      () => "Not copied",
    );
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  code.append(button);
}

// Code and tables are stops of the Tab key while they scroll.
const scrollObserver = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth;
    target.toggleAttribute("tabindex", scrolls);
    if (scrolls) target.tabIndex = 0;
    target.role = scrolls ? "group" : null;
    target.ariaLabel = scrolls ? (target.matches("pre") ? "Code" : "Table") : null;
  }
});
for (const region of document.querySelectorAll("pre, .table")) scrollObserver.observe(region);

// The contents of the page show the section that is being read.
const outlineLinks = new Map(
  [...document.querySelectorAll('.outline a[href^="#"]')].map((link) => [link.getAttribute("href").slice(1), link]),
);
const observer = new IntersectionObserver(
  (entries) => {
    const visible = entries.find(({ isIntersecting }) => isIntersecting);
    if (visible === undefined) return;
    for (const [id, link] of outlineLinks) link.toggleAttribute("data-current", id === visible.target.id);
  },
  { rootMargin: "-80px 0px -70% 0px" },
);
for (const id of outlineLinks.keys()) {
  const heading = document.getElementById(id);
  if (heading !== null) observer.observe(heading);
}

// Versions: each is a folder beside this one. The menu closes with Escape, and when the visitor goes on elsewhere.
const menu = document.querySelector(".versions");
menu.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
for (const type of ["click", "focusin"]) {
  document.addEventListener(type, (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}
if (page.dataset.versions === "yes") {
  menu.addEventListener("toggle", () => listVersions().catch(() => undefined), { once: true });
}

async function listVersions() {
  const response = await fetch(new URL("../versions.json", base));
  if (!response.ok) return;
  const current = menu.querySelector("summary").textContent;
  const path = location.href.slice(base.href.length);
  const items = await Promise.all(
    (await response.json()).map(async (version) => {
      const samePage = new URL(`../${version}/${path}`, base);
      const hasPage = version === current || (await fetch(samePage, { method: "HEAD" })).ok;
      const link = document.createElement("a");
      link.textContent = version;
      link.href = hasPage ? samePage.href : new URL(`../${version}/index.html`, base).href;
      if (version === current) link.setAttribute("aria-current", "true");
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  menu.querySelector("ul").replaceChildren(...items);
}

// Search: the index is loaded when the dialog opens for the first time, in parts.
const dialog = document.querySelector("[data-search-dialog]");
const input = dialog.querySelector("input");
const results = dialog.querySelector("[data-search-results]");
const statusLine = dialog.querySelector("[data-search-status]");
let pagefind;

async function loadIndex() {
  pagefind ??= import(new URL("pagefind/pagefind.js", base).href).then(async (module) => {
    await module.options({
      baseUrl: base.pathname,
      excerptLength: 18,
      // The text of a page counts more than its title, and search-terms.ts as much as three titles.
      ranking: { pageLength: 0.3, metaWeights: { title: 1, terms: 3 } },
    });
    await module.init();
    return module;
  });
  return pagefind;
}

function openSearch() {
  dialog.showModal();
  input.select();
  loadIndex().catch(reportMissingIndex);
}

function reportMissingIndex() {
  // The next attempt loads it again.
  pagefind = undefined;
  statusLine.textContent = "The search index could not be loaded.";
}

function resultItem({ url, excerpt }, title, section = "") {
  const item = document.createElement("li");
  item.className = section === "" ? "part" : "page";
  const link = document.createElement("a");
  link.href = url;
  const heading = document.createElement("strong");
  heading.textContent = title;
  const place = document.createElement("small");
  place.textContent = section;
  const text = document.createElement("span");
  // Pagefind escapes the text of the page and adds <mark>.
  text.innerHTML = excerpt;
  link.append(heading, ...(section === "" ? [] : [place]), ...(excerpt === "" ? [] : [text]));
  item.append(link);
  return item;
}

/** Returns the results of a page: its title, and under it the sections that contain the words, or else an excerpt. */
function pageItems({ url, excerpt, meta, sub_results: parts }) {
  const sections = parts.filter((part) => part.url.includes("#") && part.title !== meta.title).slice(0, 2);
  return [
    resultItem({ url, excerpt: sections.length === 0 ? excerpt : "" }, meta.title, meta.section ?? "Page"),
    ...sections.map((part) => resultItem(part, part.title)),
  ];
}

/** Moves the page of the error codes to the top if a code is searched for, with a link to its row. */
function withErrorCode(pages, term) {
  const code = /^E_\w+$/i.test(term) ? term.toUpperCase() : undefined;
  const errors = pages.find(({ url }) => url.endsWith("reference/errors.html"));
  if (code === undefined || errors === undefined) return pages;
  const row = { url: `${errors.url}#${code}`, title: code, excerpt: errors.excerpt };
  const known = errors.sub_results.find(({ title }) => title === code);
  return [{ ...errors, sub_results: [known ?? row] }, ...pages.filter((other) => other !== errors)];
}

async function search() {
  const term = input.value.trim();
  if (term === "") {
    results.replaceChildren();
    statusLine.textContent = "";
    return;
  }
  if (pagefind === undefined || results.childElementCount === 0) statusLine.textContent = "Searching …";
  const found = await (await loadIndex()).debouncedSearch(term, {}, 120);
  // A newer search is running.
  if (found === null) return;
  const shown = /^E_\w+$/i.test(term) ? 20 : 8;
  const pages = await Promise.all(found.results.slice(0, shown).map((result) => result.data()));
  if (input.value.trim() !== term) return;
  results.replaceChildren(...withErrorCode(pages, term).slice(0, 8).flatMap(pageItems));
  results.scrollTop = 0;
  const count = found.unfilteredResultCount ?? found.results.length;
  statusLine.textContent =
    count === 0
      ? `Nothing found for "${term}". Try fewer words, the name of an export, or an error code.`
      : `${count} ${count === 1 ? "page" : "pages"}${count > 8 ? ", the first 8 of them" : ""}`;
}

for (const button of document.querySelectorAll("[data-search]")) {
  button.hidden = false;
  button.addEventListener("click", openSearch);
}
input.addEventListener("input", () => search().catch(reportMissingIndex));
dialog.querySelector("form").addEventListener("submit", (event) => {
  if (event.submitter !== null && document.activeElement === event.submitter) return;
  event.preventDefault();
  results.querySelector("a")?.click();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("a") !== null) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const links = [input, ...results.querySelectorAll("a")];
  const step = event.key === "ArrowDown" ? 1 : -1;
  links.at((links.indexOf(document.activeElement) + step) % links.length).focus();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, dialog") !== null;
  const isShortcut = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
  if (!isShortcut) return;
  event.preventDefault();
  openSearch();
});
