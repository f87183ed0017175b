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

// On narrow screens the contents are a popover. It closes when the visitor follows a link of it.
document.querySelector(".outline")?.addEventListener("click", (event) => {
  if (event.target.closest("a") !== null && event.currentTarget.matches(":popover-open")) {
    event.currentTarget.hidePopover();
  }
});

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

// Search: the script and the index are loaded when the dialog opens for the first time.
const dialog = document.querySelector("[data-search-dialog]");
const input = dialog.querySelector("input");
const results = dialog.querySelector("[data-search-results]");
const statusLine = dialog.querySelector("[data-search-status]");
let loading;

async function loadSearch() {
  // The address of this script ends with the fingerprint of the version.
  const { search: version } = new URL(import.meta.url);
  const [{ createSearch }, response] = await Promise.all([
    import(new URL(`search.js${version}`, base).href),
    fetch(new URL(`search-index.json${version}`, base)),
  ]);
  if (!response.ok) throw new Error(`${response.status}`);
  return createSearch(await response.json());
}

function openSearch() {
  dialog.showModal();
  input.select();
  void showResults();
}

function resultItem({ path, excerpt }, title, group = "") {
  const item = document.createElement("li");
  item.className = group === "" ? "result-section" : "result-page";
  const link = document.createElement("a");
  link.href = new URL(path, base).href;
  const heading = document.createElement("strong");
  heading.textContent = title;
  const place = document.createElement("small");
  place.textContent = group;
  const text = document.createElement("span");
  // The search escapes the text of the page and adds <mark>.
  text.innerHTML = excerpt;
  link.append(heading, ...(group === "" ? [] : [place]), ...(excerpt === "" ? [] : [text]));
  item.append(link);
  return item;
}

/** Returns the items of a page: its title, and under it the sections that match best, or else an excerpt. */
function pageItems({ path, title, group, excerpt, sections }) {
  return [
    resultItem({ path, excerpt: sections.length === 0 ? excerpt : "" }, title, group || "Page"),
    ...sections.map((section) => resultItem(section, section.title)),
  ];
}

function statusOf({ total, results: shown, correctedQuery }, query) {
  if (total === 0) return `Nothing found for "${query}". Try fewer words, the name of an export, or an error code.`;
  const pages = `${total} ${total === 1 ? "page" : "pages"}${total > shown.length ? `, the best ${shown.length} first` : ""}`;
  return correctedQuery === undefined ? pages : `Results for "${correctedQuery}": ${pages}`;
}

async function showResults() {
  const isLoading = loading === undefined;
  if (isLoading) statusLine.textContent = "Loading …";
  try {
    const search = await (loading ??= loadSearch());
    const query = input.value.trim();
    const found = search(query);
    results.replaceChildren(...found.results.flatMap(pageItems));
    results.scrollTop = 0;
    statusLine.textContent = query === "" ? "" : statusOf(found, query);
  } catch {
    // The next attempt loads the index again.
    loading = undefined;
    statusLine.textContent = "The search index could not be loaded.";
  }
}

for (const button of document.querySelectorAll("[data-search]")) {
  button.hidden = false;
  button.addEventListener("click", openSearch);
}
input.addEventListener("input", showResults);
dialog.querySelector("form").addEventListener("submit", (event) => {
  if (event.submitter !== null && document.activeElement === event.submitter) return;
  event.preventDefault();
  results.querySelector("a")?.click();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("a") !== null) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  // In an input of the type search, Escape would empty it first.
  if (event.key === "Escape") {
    event.preventDefault();
    dialog.close();
  }
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const links = [input, ...results.querySelectorAll("a")];
  const step = event.key === "ArrowDown" ? 1 : -1;
  links.at((links.indexOf(document.activeElement) + step) % links.length).focus();
});
document.addEventListener("keydown", (event) => {
  // Until the next frame, the input of a closed dialog keeps the focus.
  const isClosed = dialog.contains(event.target) && !dialog.open;
  const isTyping = !isClosed && event.target.closest("input, textarea, select, dialog") !== null;
  const isShortcut = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
  if (!isShortcut) return;
  event.preventDefault();
  openSearch();
});
