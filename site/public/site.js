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

// Code can be copied.
for (const code of document.querySelectorAll(".prose .code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  code.append(button);
}

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

// Versions: each is a folder beside this one.
if (page.dataset.versions === "yes") {
  const menu = document.querySelector(".versions");
  menu.addEventListener("toggle", () => listVersions(menu).catch(() => undefined), { once: true });
}

async function listVersions(menu) {
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
    await module.options({ baseUrl: base.pathname, excerptLength: 18 });
    await module.init();
    return module;
  });
  return pagefind;
}

function openSearch() {
  dialog.showModal();
  input.select();
  loadIndex().catch(() => (statusLine.textContent = "The search index could not be loaded."));
}

function resultItem({ url, excerpt }, title, section) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = url;
  const heading = document.createElement("strong");
  heading.textContent = title;
  const place = document.createElement("small");
  place.textContent = section;
  const text = document.createElement("span");
  // Pagefind escapes the text of the page and adds <mark>.
  text.innerHTML = excerpt;
  link.append(heading, place, text);
  item.append(link);
  return item;
}

async function search() {
  const term = input.value.trim();
  if (term === "") {
    results.replaceChildren();
    statusLine.textContent = "";
    return;
  }
  const found = await (await loadIndex()).debouncedSearch(term, {}, 120);
  // A newer search is running.
  if (found === null) return;
  const pages = await Promise.all(found.results.slice(0, 8).map((result) => result.data()));
  if (input.value.trim() !== term) return;
  results.replaceChildren(
    ...pages.flatMap(({ url, excerpt, meta, sub_results: parts }) => {
      const sections = parts.filter((part) => part.url.includes("#") && part.title !== meta.title).slice(0, 2);
      const section = meta.section ?? "";
      return [
        resultItem({ url, excerpt }, meta.title, section),
        ...sections.map((part) => resultItem(part, part.title, meta.title)),
      ];
    }),
  );
  const count = found.results.length;
  statusLine.textContent = count === 0 ? `Nothing found for "${term}".` : `${count} ${count === 1 ? "page" : "pages"}`;
}

for (const button of document.querySelectorAll("[data-search]")) {
  button.hidden = false;
  button.addEventListener("click", openSearch);
}
input.addEventListener("input", search);
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
