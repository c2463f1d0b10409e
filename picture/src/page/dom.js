// Elements. Texts are set as texts, so nothing that a document says is read as markup.

const byId = (id) => document.getElementById(id);

function element(name, options = {}, ...children) {
  const made = document.createElement(name);
  for (const [option, value] of Object.entries(options)) {
    if (option === "text") made.textContent = value;
    else if (option === "click") made.addEventListener("click", value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(option, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const button = (text, click, options = {}) => element("button", { type: "button", text, click, ...options });

function say(text) {
  byId("said").textContent = text;
}

const changeWord = (change) => element("span", { class: "word " + change, text: change });

function selectOf(label, options, chosen, changed) {
  const select = element("select", { "aria-label": label });
  for (const [value, text] of options) select.append(element("option", { value, text }));
  select.value = chosen;
  select.addEventListener("change", () => changed(select.value));
  return select;
}
