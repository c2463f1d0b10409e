// The list: a table of all items, sorted and in pages.

const PAGE = 100;
const byText = (text) => (a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : a - b);
const byNumber = (number) => (a, b) => number(b) - number(a) || a - b;
const degreeOut = (at) => edges.first[at + 1] - edges.first[at];
const degreeIn = (at) => edges.firstIn[at + 1] - edges.firstIn[at];

const columns = [
  { title: "Name", order: byText(nameOf) },
  { title: "Type", order: byText(typeOf), class: "wide" },
  { title: "In the file", order: byNumber((at) => raw.stored[at]), number: (at) => raw.stored[at] },
  { title: "As JSON", order: byNumber((at) => raw.json[at]), number: (at) => raw.json[at], class: "wide" },
  ...(hasGraph ? [
    { title: "Depends on", order: byNumber(degreeOut), number: degreeOut },
    { title: "Dependents", order: byNumber(degreeIn), number: degreeIn },
  ] : []),
  ...(changeOf.size > 0 ? [{ title: "Change", order: byText((at) => changeOf.get(at) || "~") }] : []),
];

const table = { sort: -1, isUp: false, page: 0, type: "", change: "" };

function listed() {
  const hits = byId("query").value.trim() ? state.hits : Array.from({ length: size }, (_, at) => at);
  const type = table.type === "" ? -1 : Number(table.type);
  const shown = hits.filter((at) => (type < 0 || raw.type[at] === type) && (!table.change || changeOf.get(at) === table.change));
  if (table.sort >= 0) shown.sort(columns[table.sort].order);
  if (table.isUp) shown.reverse();
  return shown;
}

function drawList() {
  const shown = listed();
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  table.page = Math.min(table.page, pages - 1);
  const types = raw.types.map((name, at) => [String(at), cut(name, 80)]).sort(byText((option) => option[1]));
  const change = (option, value) => { table[option] = value; table.page = 0; drawList(); };
  const turn = (by) => { table.page += by; drawList(); };
  const from = table.page * PAGE;
  const changes = [...new Set(changeOf.values())].sort();
  const bar = element("div", { class: "bar" },
    selectOf("Type", [["", "all types"], ...types], table.type, (value) => change("type", value)),
    ...(changes.length > 0 ? [selectOf("Change", [["", "changed or not"], ...changes.map((name) => [name, name])], table.change, (value) => change("change", value))] : []),
    element("span", { class: "dim", id: "listed", text: grouped(shown.length) + " of " + grouped(size) }),
    ...(pages > 1 ? [
      button("←", () => turn(-1), { "aria-label": "Page before", disabled: table.page === 0 }),
      element("span", { class: "dim", text: "page " + (table.page + 1) + " of " + pages }),
      button("→", () => turn(1), { "aria-label": "Next page", disabled: table.page === pages - 1 }),
    ] : []));
  const heads = columns.map((column, at) => {
    const isSorted = table.sort === at;
    const title = column.title + (isSorted ? (table.isUp ? " ↑" : " ↓") : "");
    const sort = isSorted ? (table.isUp ? "ascending" : "descending") : "none";
    return element("th", { scope: "col", class: (column.number ? "number " : "") + (column.class || ""), "aria-sort": sort }, button(title, () => {
      table.isUp = isSorted && !table.isUp;
      table.sort = at;
      drawList();
    }));
  });
  const rows = shown.slice(from, from + PAGE).map(row);
  byId("list").replaceChildren(bar, element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Table" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows))));
}

function row(at) {
  const cells = columns.map((column) => {
    if (column.number) return element("td", { class: "number " + (column.class || ""), text: grouped(column.number(at)) });
    if (column.title === "Name") {
      return element("td", {}, button(shortName(at), () => choose(at), { class: "link", title: cut(keyOf(at), 400) }));
    }
    if (column.title === "Type") return element("td", { class: "wide", text: cut(typeOf(at), 160) });
    return element("td", {}, ...(changeOf.has(at) ? [changeWord(changeOf.get(at))] : []));
  });
  return element("tr", { class: at === state.item ? "selected" : null }, ...cells);
}
