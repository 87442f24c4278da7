// The search: every word must occur; titles count more than headings, headings more than text.
"use strict";
(() => {
  const GREEK = Object.fromEntries(
    ("α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi " +
      "ο omicron π pi ρ rho σ sigma ς sigma τ tau υ upsilon φ phi ϕ phi χ chi ψ psi ω omega ϵ epsilon")
      .split(" ").reduce((pairs, word, i, all) => (i % 2 ? [...pairs, [all[i - 1], word]] : pairs), []));
  const DROPPED = new Set("\\_{}$^`");
  const MOST = 40;
  const root = document.documentElement.dataset.root;
  const input = document.querySelector(".search input");
  const list = document.getElementById("found");
  let entries = null;
  let chosen = -1;

  // A letter as it is compared: small, Greek letters by their names, marks of formulas left out.
  function letter(c) {
    if (DROPPED.has(c)) return "";
    if (c <= "\u007f") return c.toLowerCase();
    const plain = c.normalize("NFKC").toLowerCase();
    return [...plain].map((x) => GREEK[x] ?? x).join("");
  }
  const folded = (text) => {
    let out = "";
    for (const c of text) out += letter(c);
    return out.replace(/\s+/g, " ");
  };

  function load(then) {
    if (entries) return then();
    if (load.waiting) return load.waiting.push(then);
    load.waiting = [then];
    const script = document.createElement("script");
    script.src = `${root}/search.js`;
    script.onload = () => {
      entries = [];
      for (const [path, page, group, parts] of SYMBENCH_INDEX)
        parts.forEach(([anchor, title, words], i) => entries.push({
          address: `${root}/${path}${anchor && "#" + anchor}`, page, group, title, words, first: i === 0,
          head: folded(title), body: folded(words), all: folded(`${title} ${page} ${words}`),
        }));
      load.waiting.forEach((next) => next());
    };
    script.onerror = () => say("The search cannot be read: search.js is missing.");
    document.head.append(script);
  }

  // How often a word occurs, up to a bound.
  function count(text, word, most) {
    let found = 0;
    for (let at = text.indexOf(word); at >= 0 && found < most; at = text.indexOf(word, at + 1)) found++;
    return found;
  }
  const isWord = (c) => c !== undefined && /[\p{L}\p{N}]/u.test(c);

  function score(entry, query, terms) {
    const weight = entry.first ? 3 : 2; // a title, or a heading
    const name = entry.head.split(".").pop().replace(/\(.*/, "");
    let points = 0;
    if (entry.head === query) points += 1000 * weight;
    else if (name === query) points += 500 * weight;
    else if (entry.head.startsWith(query)) points += 100 * weight;
    else if (entry.head.includes(query)) points += 50 * weight;
    if (terms.length > 1 && entry.body.includes(query)) points += 20;
    for (const term of terms) {
      const at = entry.head.indexOf(term);
      if (at >= 0) points += (isWord(entry.head[at - 1]) ? 10 : 30) * weight;
      else if (!entry.all.includes(term)) return 0;
      points += count(entry.body, term, 8);
    }
    return points;
  }

  function search(text) {
    const query = folded(text).trim();
    const terms = query.split(" ").filter((term) => term);
    if (!terms.length) return null;
    return entries
      .map((entry, place) => [score(entry, query, terms), place, entry])
      .filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .map(([, , entry]) => ({ entry, terms }));
  }

  // Some words around the first place where a term occurs, with every such place marked.
  function snippet(words, terms) {
    let folds = "";
    const places = []; // of each letter of the folded text, where it is in the words
    for (let i = 0; i < words.length;) {
      const c = String.fromCodePoint(words.codePointAt(i));
      for (const _ of letter(c)) places.push(i);
      folds += letter(c);
      i += c.length;
    }
    const hits = [];
    for (const term of terms)
      for (let at = folds.indexOf(term); at >= 0 && hits.length < 50; at = folds.indexOf(term, at + term.length))
        hits.push([places[at], places[at + term.length] ?? words.length]);
    hits.sort((a, b) => a[0] - b[0]);
    const begin = hits.length ? Math.max(0, hits[0][0] - 50) : 0;
    const end = Math.min(words.length, begin + 170);
    const out = document.createElement("span");
    let at = begin;
    for (const [from, to] of hits) {
      if (from < at || to > end) continue;
      const mark = document.createElement("mark");
      mark.textContent = words.slice(from, to);
      out.append(words.slice(at, from), mark);
      at = to;
    }
    out.append(words.slice(at, end));
    if (begin) out.prepend("… ");
    if (end < words.length) out.append(" …");
    return out;
  }

  function say(text) {
    const line = document.createElement("small");
    line.textContent = text;
    list.replaceChildren(line);
    open(true);
  }
  function open(is) {
    list.hidden = !is;
    input.setAttribute("aria-expanded", String(is));
    if (!is) choose(-1);
  }
  function choose(place) {
    const links = [...list.querySelectorAll("a")];
    chosen = links.length ? Math.max(-1, Math.min(place, links.length - 1)) : -1;
    links.forEach((link, i) => link.setAttribute("aria-selected", String(i === chosen)));
    if (chosen >= 0) {
      input.setAttribute("aria-activedescendant", links[chosen].id);
      links[chosen].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  }

  function show() {
    const found = search(input.value);
    if (found === null) return open(false);
    if (!found.length) return say("Nothing found: every word must occur. Try fewer.");
    list.replaceChildren(...found.slice(0, MOST).map(({ entry, terms }, i) => {
      const link = document.createElement("a");
      link.href = entry.address;
      link.id = `found-${i}`;
      link.setAttribute("role", "option");
      const title = document.createElement("b");
      title.textContent = entry.title;
      const where = document.createElement("small");
      where.textContent = ` ${entry.first ? entry.group : `${entry.group}: ${entry.page}`}`;
      link.append(title, where, snippet(entry.words, terms));
      return link;
    }));
    if (found.length > MOST) {
      const more = document.createElement("small");
      more.textContent = `and ${found.length - MOST} more: add a word`;
      list.append(more);
    }
    list.scrollTop = 0;
    open(true);
    choose(0);
  }

  input.form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("focus", () => load(() => {}));
  input.addEventListener("input", () => load(show));
  input.addEventListener("keydown", (event) => {
    const links = list.querySelectorAll("a");
    const moves = { ArrowDown: chosen + 1, ArrowUp: Math.max(chosen - 1, 0), PageDown: chosen + 8, PageUp: Math.max(chosen - 8, 0) };
    if (event.key in moves && !list.hidden) {
      event.preventDefault();
      choose(moves[event.key]);
    } else if (event.key === "Enter" && !list.hidden && links[chosen]) {
      location.href = links[chosen].href;
      open(false);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (list.hidden) input.blur();
      open(false);
    }
  });
  list.addEventListener("click", () => open(false));
  document.addEventListener("click", (event) => {
    if (!input.form.contains(event.target)) open(false);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if ((event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  // Beside the page the list shows this page; below it, on a phone, it has no scroll of its own.
  const side = document.getElementById("side");
  const here = side?.querySelector('[aria-current="page"]');
  if (here) side.scrollTop = here.offsetTop - side.clientHeight / 2;
  input.placeholder = "Search (press /)";
})();
