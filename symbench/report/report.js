// The report page: filters with their state in the address, certificates that are checked in a worker,
// and a task of the reader's own. All that comes from a certificate is put in as text.
(function () {
"use strict";

const find = (id) => document.getElementById(id);
const cards = Array.from(document.querySelectorAll("article.claim"));
const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

// ---- Filters: #paper=boix2024&verdict=fails, or #ID for one claim ----

const names = ["paper", "verdict", "scope", "certificate"];
const search = find("search"), selects = new Map(names.map((name) => [name, find(`filter-${name}`)]));
const texts = cards.map((card) => [card.id, ...Array.from(
  card.querySelectorAll(".statement, dl.facts, .plain"), (part) => part.textContent)]
  .join(" ").toLowerCase());

function matches(card, text) {
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
  return words.every((word) => text.includes(word)) && names.every((name) => {
    const wanted = selects.get(name).value, has = card.dataset[name].split("|");
    if (!wanted) return true;
    if (name !== "certificate") return has.includes(wanted);
    return wanted === "none" ? has[0] === "" : wanted === "any kind" ? has[0] !== ""
      : has.includes(wanted);
  });
}
function filter() {
  let shown = 0;
  cards.forEach((card, i) => {
    card.hidden = !matches(card, texts[i]);
    shown += !card.hidden;
  });
  find("shown").textContent = `${shown} of ${cards.length} claims`;
}
function remember() {
  const state = new URLSearchParams();
  if (search.value) state.set("search", search.value);
  for (const [name, select] of selects) if (select.value) state.set(name, select.value);
  history.replaceState(null, "", `#${state}`);
  filter();
}
function clear() {
  search.value = "";
  for (const select of selects.values()) select.value = "";
}
function readAddress() {
  const address = location.hash.slice(1), card = cards.find((one) => one.id === decoded(address));
  if (address.includes("=")) {
    const state = new URLSearchParams(address);
    search.value = state.get("search") || "";
    for (const [name, select] of selects) {
      select.value = state.get(name) || "";
      if (select.selectedIndex < 0) select.value = "";
    }
    filter();
    find("claims").scrollIntoView();
  } else {
    if (card && card.hidden) clear();
    filter();
    if (card) card.scrollIntoView();
  }
}
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}
search.addEventListener("input", remember);
for (const select of selects.values()) select.addEventListener("change", remember);
find("reset").addEventListener("click", () => { clear(); remember(); });
window.addEventListener("hashchange", readAddress);

// ---- The worker: the stand-alone checker, word for word, and the search for points ----

const source = `${find("checker").textContent}\n${find("separate").textContent}
onmessage = ({data: {id, text, task}}) => {
  try {
    const made = task && separateTask(task), given = task ? made.document : text;
    postMessage({id, made, result: given === undefined ? null : checkCertificate(given)});
  } catch (error) { postMessage({id, failure: String(error)}); }
};`;
const waiting = new Map();
let worker = null, number = 0;

function ask(message) {
  if (!worker) {
    worker = new Worker(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
    worker.onmessage = ({data}) => {
      const {resolve, reject} = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.failure) reject(new Error(data.failure));
      else resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const all = [...waiting.values()];
      waiting.clear();
      worker = null;
      all.forEach(({reject}) => reject(new Error(event.message || "this browser runs no workers")));
    };
  }
  return new Promise((resolve, reject) => {
    waiting.set(++number, {resolve, reject});
    worker.postMessage({...message, id: number});
  });
}

// ---- Certificates ----

async function unpack(packed) { // a list of pairs of a case and a document
  const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
const documents = new Map();
async function certificatesOf(card) {
  if (!documents.has(card)) {
    documents.set(card, await unpack(card.querySelector(".packed").textContent));
  }
  return documents.get(card);
}
function saved(text, name) {
  const link = element("a", "save the certificate");
  link.href = "#";
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const file = element("a");
    file.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
    file.download = name;
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 10000);
  });
  return link;
}

// The page is laid out anew after each change of it, which takes longer than most checks.
function seldom() { // what it is given is done, at most ten times a second
  let changed = 0;
  return (change) => {
    const now = performance.now();
    if (now - changed < 100) return;
    changed = now;
    change();
  };
}

// Whether a certificate was found right and names this claim, and what to say of it.
function of(card, text, {status, statement, reason}) {
  if (status !== "checked") return [false, `${status}: ${reason}`];
  const {claim} = JSON.parse(text).about;
  return claim === card.id ? [true, `checked: ${statement}`]
    : [false, `checked, but of another claim: ${claim}`];
}

// Green only when every certificate of the card has run here and was found right.
async function check(card, step = () => true) {
  const button = card.querySelector(".run"), output = card.querySelector(".check output");
  const list = card.querySelector(".certificates ol");
  button.disabled = true;
  button.className = "run";
  output.className = "";
  const start = performance.now(), results = [], now = seldom();
  let checked = 0, wrong = 0, first = "";
  try {
    const found = await certificatesOf(card);
    await listed(card);
    for (const [i, [name, text]] of found.entries()) {
      const [good, said] = of(card, text, (await ask({text})).result);
      if (good) checked++;
      else if (!wrong++) first = `${name}: ${said}`;
      results.push([good, said]);
      now(() => { output.textContent = `${i + 1} of ${found.length}`; });
      if (!step(good)) break;
    }
    results.forEach(([good, text], i) => {
      const mark = list.children[i].querySelector(".mark");
      mark.textContent = text;
      mark.className = `mark ${good ? "checked" : "wrong"}`;
    });
    const whole = checked === found.length && checked > 0;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (whole || wrong) {
      button.classList.add(whole ? "checked" : "wrong");
      output.className = whole ? "checked" : "wrong";
    }
    output.textContent = wrong ? `${wrong} of ${found.length} not right. ${first}`
      : whole ? `${checked} checked in this browser, ${seconds} s`
      : `stopped after ${checked} of ${found.length}`;
  } catch (error) { // an old browser, or data that was cut
    wrong++;
    output.className = "wrong";
    output.textContent = `cannot be checked here: ${error.message}`;
  }
  button.disabled = false;
  return wrong === 0;
}
async function listed(card) {
  const list = card.querySelector(".certificates ol");
  if (list.children.length) return;
  const found = await certificatesOf(card);
  list.append(...found.map(([name, text], i) => {
    const item = element("li");
    item.append(element("code", name), " ", element("span", "not checked yet", "mark"), " ",
      saved(text, `${card.id}-${i + 1}.json`));
    return item;
  }));
}
const packed = cards.filter((card) => card.querySelector(".packed"));
for (const card of packed) {
  card.querySelector(".run").addEventListener("click", () => check(card));
  const details = card.querySelector(".certificates");
  details.addEventListener("toggle", () => {
    if (details.open) listed(card).catch((error) => {
      card.querySelector(".check output").textContent = `cannot be read here: ${error.message}`;
    });
  });
}

const all = find("check-all"), progress = find("progress"), told = find("all");
const label = all.textContent;
let running = false;
all.addEventListener("click", async () => {
  if (running) {
    running = false;
    return;
  }
  running = true;
  all.textContent = "Stop";
  all.className = told.className = "";
  progress.hidden = false;
  let done = 0, right = 0, whole = true;
  const now = seldom();
  for (const card of packed) {
    if (!running) break;
    const fine = await check(card, (good) => {
      done++;
      right += good;
      now(() => {
        progress.value = done;
        told.textContent = `${done.toLocaleString("en")} of ${progress.max.toLocaleString("en")}`;
      });
      return running;
    });
    whole = whole && fine;
  }
  progress.value = done;
  const finished = running && whole && right === progress.max;
  running = false;
  all.textContent = label;
  if (finished || !whole) all.className = told.className = finished ? "checked" : "wrong";
  told.textContent = finished ? `all ${right.toLocaleString("en")} checked in this browser`
    : whole ? `stopped: ${right.toLocaleString("en")} checked`
    : `${right.toLocaleString("en")} checked, and some are not right: see the red ones`;
});

// ---- Try it ----

function tell(made, result) {
  const box = find("answer"), many = made.templates && made.templates.length;
  const lines = [];
  box.replaceChildren();
  box.hidden = false;
  if (made.error) {
    box.className = "answer error";
    box.append(element("p", `${made.error}.`));
    return;
  }
  const right = result.status === "checked", yes = made.status !== "not learnable";
  box.className = `answer ${!right ? "error" : yes ? "yes" : "no"}`;
  const these = many > 1 ? `these ${many} templates` : "this template";
  if (made.status === "learnable") {
    lines.push(`Learnable by softmax attention for every beta, gamma ≠ 0: kernel regression gets `
      + `${these} right on symbols that it has never seen, whatever their labels.`);
  } else if (yes) {
    lines.push("Learnable with these labels by softmax attention for every beta, gamma ≠ 0: some "
      + "templates are equivalent, and their labels agree.");
  } else {
    lines.push(`Not learnable, by any beta, gamma: ${made.pair.join(" and ")} are equivalent, one `
      + "template under two names of its wildcards, so no kernel that treats symbols alike can tell "
      + "them apart" + (!made.pairLabels ? "." : `; their labels are ${made.pairLabels.join(" and ")}`
      + (made.letters ? ", which are different letters of that one." : ".")));
  }
  if (made.letters) {
    lines.push("The labels are letters: what is learned is which letter to put out. To put out a "
      + "symbol that was never seen is copying, another question (boix2024, Section 5).");
  }
  if (made.alike.length) {
    lines.push(`Equivalent: ${made.alike.map((group) => group.join(", ")).join("; ")}.`);
  }
  if (made.xi) {
    const y = made.y.map((value, i) => `${made.tokens[i]}: ${value}`).join(", ");
    const but = [...made.alike.length ? ["equivalent templates"] : [],
      ...made.constant ? ["templates of one letter throughout, which are told apart by it"] : []];
    lines.push(`The point: ξ = (${made.xi.join(", ")})${y ? `, y = (${y})` : ""}. The exponents `
      + `there are pairwise distinct${but.length ? `, but for ${but.join(" and ")}` : ""}.`);
  }
  box.append(...lines.map((line) => element("p", line)));
  if (made.exponents) {
    const table = element("table"), head = element("tr"), body = element("tbody");
    for (const name of ["template", ...made.labels ? ["label"] : [], "exponent"]) {
      head.append(element("th", name));
    }
    made.ends.slice(0, 100).forEach((template, i) => {
      const row = element("tr");
      row.append(element("td", template), ...made.labels ? [element("td", made.labels[i])] : [],
        element("td", made.exponents[i]));
      body.append(row);
    });
    const top = element("thead"), wide = element("div", undefined, "wide");
    top.append(head);
    table.append(top, body);
    wide.append(table);
    box.append(wide);
    if (many > 100) box.append(element("p", `... ${many} templates in all.`));
  }
  const proof = element("p");
  const mark = element("span", right ? "checked" : result.status,
    `badge ${right ? "holds" : "bad"}`);
  proof.append(mark, ` ${right ? result.statement : result.reason}. `,
    saved(made.document, "certificate.json"));
  box.append(proof);
}
async function tryTask() {
  find("ask").disabled = true;
  try {
    const task = {text: find("task").value, wildcards: find("wildcards").value,
      cls: find("cls").checked};
    const {made, result} = await ask({task});
    tell(made, result);
  } catch (error) { tell({error: error.message}); }
  find("ask").disabled = false;
}
find("ask").addEventListener("click", tryTask);

// On paper nothing can be opened: what is worth reading there is open.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = Array.from(document.querySelectorAll("details.on-paper:not([open])"));
  opened.forEach((details) => { details.open = true; });
});
window.addEventListener("afterprint", () => {
  opened.forEach((details) => { details.open = false; });
});

readAddress();
document.body.dataset.ready = "yes";
})();
