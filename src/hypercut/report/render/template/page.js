const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Click a column's heading to sort by it, again to reverse the order. Numbers sort by their full value.
for (const table of all("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
      };
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const numbers = [typeof x === "number" && !Number.isNaN(x), typeof y === "number" && !Number.isNaN(y)];
        if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1; // empty cells last in both orders
        const order = numbers[0] ? x - y : String(x).localeCompare(String(y));
        return down ? -order : order;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(compare));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}

// Tables and pictures of which one is shown at a time. Without this script, and on paper, all are shown.
for (const box of all(".tabs")) {
  const items = [...box.children];
  if (items.length < 2) continue;
  const bar = document.createElement("div");
  bar.className = "tabbar";
  bar.setAttribute("role", "tablist");
  const show = (chosen) => {
    items.forEach((item, i) => {
      item.hidden = i !== chosen;
      bar.children[i].setAttribute("aria-selected", i === chosen);
    });
  };
  items.forEach((item, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("role", "tab");
    button.textContent = item.querySelector("b").textContent.replace(/^.*: |\.$/g, "");
    button.addEventListener("click", () => show(i));
    bar.append(button);
  });
  box.prepend(bar);
  show(0);
  addEventListener("beforeprint", () => items.forEach((item) => (item.hidden = false)));
  addEventListener("afterprint", () => show(all("button", bar).findIndex((it) => it.ariaSelected === "true")));
}

// The contents: folded on narrow screens, and the section in view is marked.
const contents = document.querySelector("nav details");
const narrow = matchMedia("(max-width: 62rem)");
const fold = () => (contents.open = !narrow.matches);
narrow.addEventListener("change", fold);
fold();
const links = new Map(all("nav li a[href^='#']").map((link) => [link.hash.slice(1), link]));
for (const link of links.values()) link.addEventListener("click", fold);
const watch = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const link = links.get(entry.target.id);
    if (entry.isIntersecting) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}, { rootMargin: "-20% 0px -75% 0px" });
all("section").forEach((section) => watch.observe(section));

// A link to a folded claim unfolds it; paper has everything unfolded.
const unfold = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  for (let it = target; it; it = it.parentElement) if (it.tagName === "DETAILS") it.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash) unfold();
addEventListener("beforeprint", () => all("main details").forEach((it) => (it.open = true)));
