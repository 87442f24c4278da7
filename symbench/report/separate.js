// Is a task of templates learnable by kernel regression with softmax attention? Finds an integer
// point that tells the templates apart and writes the certificate that check_certificate.js checks;
// that file is loaded first. Exact integers alone decide.
//
//   separateTask({text, wildcards, cls})   {status, ...} or {error}
(function () {
"use strict";

class Refused extends Error {}
function refuse(reason) { throw new Refused(reason); }

const MOST_TEMPLATES = 1000, MOST_LETTERS = 100;
const LOOK_ALIKE = new Map([...Array.from("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο")].map((x, i) => [x, "ABEZHIKMNOPTYXo"[i]]));
const isGreek = (letter) => /^[\u0391-\u03a1\u03a3-\u03a9\u03b1-\u03c9]$/u.test(letter);

function lettersOf(text) { // one per character, but for [CLS]
  return text.split("[CLS]").flatMap((piece, i) => i ? ["CLS", ...Array.from(piece)]
    : Array.from(piece));
}
const shown = (letters) => letters.map((x) => x === "CLS" ? "[CLS]" : x).join("");

function isWildcard(letter, named) {
  if (named) return named.has(letter);
  if (isGreek(letter)) return true;
  const meant = letter === "CLS" ? letter : letter.normalize("NFKC")[0];
  if (/\p{Script=Greek}/u.test(letter) || isGreek(meant)) {
    refuse(`${letter} is not one of the Greek letters α to ω and Α to Ω: write another letter, or `
      + "name the wildcards");
  }
  return false;
}

function common(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}
function numberOf(label) { // in lowest terms, or null for a text
  const found = /^([+-]?)(\d+)(?:\.(\d+)|\/(\d+))?$/.exec(label);
  if (!found) return null;
  const [, sign, whole, decimals = "", below] = found;
  let n = BigInt(whole + decimals), d = below ? BigInt(below) : 10n ** BigInt(decimals.length);
  if (!d) refuse(`the label ${label} divides by zero`);
  const divisor = common(n, d) || 1n;
  n = n / divisor * (sign === "-" ? -1n : 1n);
  return d / divisor === 1n ? `${n}` : `${n}/${d / divisor}`;
}

// What each label asks for, as a text: a number, a class, or a letter of its template. Equivalent
// templates agree when the texts are equal, so that a wildcard is known by its place.
function readLabels(labels, names, rows, wild) {
  const numbers = labels.map(numberOf), texts = labels.filter((_, i) => numbers[i] === null);
  if (!texts.length) return {meant: numbers, letters: false};
  if (texts.length < labels.length) {
    refuse(`the labels ${labels[numbers.findIndex((x) => x !== null)]} and ${texts[0]} are of `
      + "different sorts: give all numbers, all classes or all letters");
  }
  const known = new Set(rows.flat());
  if (!labels.some((label) => known.has(label) || isGreek(label))) return {meant: labels, letters: false};
  return {letters: true, meant: labels.map((label, i) => {
    const token = known.has(label) && !wild.has(label);
    if (token) return label;
    const place = rows[i].indexOf(label);
    if (place < 0) refuse(`the label ${label} of ${names[i]} is neither one of its wildcards nor a `
      + "regular token of the task: give one, or numbers, or names of classes that are no letters");
    return `place ${place}`;
  })};
}

// The templates in the order given, as letters, with the labels, if there are any.
function readTask({text, wildcards = "", cls = true}) {
  const items = text.split(/[\s;]+/).filter((item) => item);
  if (!items.length) refuse("no templates: write them with spaces between, such as αα=1 αβ=-1");
  if (items.length > MOST_TEMPLATES) {
    refuse(`${items.length} templates: give at most ${MOST_TEMPLATES}, or use symbench learnable`);
  }
  const cut = items.map((item) => {
    const place = item.lastIndexOf("=");
    return place < 0 ? [item, null] : [item.slice(0, place), item.slice(place + 1)];
  });
  const rows = cut.map(([template]) => lettersOf(template)), names = rows.map(shown);
  const labels = cut.map(([, label]) => label), bare = labels.indexOf(null);
  rows.forEach((row, i) => {
    if (!row.length) refuse(`${items[i]} has no template before its label`);
    if (labels[i] === "") refuse(`${items[i]} has no label after the sign =`);
    if (row.length > MOST_LETTERS) refuse(`${names[i]} is longer than ${MOST_LETTERS} letters`);
    if (row.length !== rows[0].length) {
      refuse(`unequal lengths: ${names[0]} has ${rows[0].length} letters, ${names[i]} has `
        + `${row.length}: make them equal`);
    }
    if (names.indexOf(names[i]) < i) refuse(`${names[i]} is given twice`);
  });
  if (bare >= 0 && labels.some((label) => label !== null)) {
    refuse(`${names[bare]} has no label: give all templates one, as in αα=1, or none`);
  }
  const all = [...new Set(rows.flat())];
  const greek = all.find((x) => LOOK_ALIKE.has(x) && all.includes(LOOK_ALIKE.get(x)));
  if (greek) refuse(`the Greek letter ${greek} looks like the Latin ${LOOK_ALIKE.get(greek)} beside `
    + "it: write another letter");
  const chosen = lettersOf(wildcards.replace(/\s+/g, ""));
  const named = chosen.length ? new Set(chosen) : null;
  if (named && named.has("CLS")) refuse("CLS is a token, not a wildcard");
  const wild = new Set(all.filter((letter) => isWildcard(letter, named)));
  if (!wild.size) {
    refuse(`${names.slice(0, 3).join(", ")} ${names.length > 1 ? "have" : "has"} no wildcards: `
      + "write Greek letters, or name the wildcards, such as xy");
  }
  const append = cls && !rows.every((row) => row[row.length - 1] === "CLS");
  return {
    names, wild, labels: bare < 0 ? labels : null,
    ...bare < 0 && readLabels(labels, names, rows, wild),
    rows: append ? rows.map((row) => [...row, "CLS"]) : rows,
  };
}

// Tokens 0, 1, ... by their place in the list, wildcards -1, -2, ... by appearance in the row.
function numbered(row, tokens) {
  const seen = new Map();
  return row.map((letter) => {
    if (tokens.has(letter)) return tokens.get(letter);
    if (!seen.has(letter)) seen.set(letter, -1 - seen.size);
    return seen.get(letter);
  });
}

// Numbers that look random and are the same every time: the same task gives the same point.
function generator() {
  let state = 20240607;
  return (range) => { // a whole number from -range to range
    let value = 0;
    for (let i = 0; i < 2; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      value = value * 65536 + (state >>> 16);
    }
    return value % (2 * range + 1) - range;
  };
}

function exponentOf(row, xi, y) {
  const sums = new Map();
  row.forEach((letter, a) => sums.set(letter, (sums.get(letter) || 0n) + xi[a]));
  let total = 0n;
  for (const [letter, sum] of sums) total += letter >= 0 ? 2n * y[letter] * sum : sum * sum;
  return total;
}
const isConstant = (row) => row.every((letter) => letter === row[0]);

// A point with distinct exponents; none of them zero beside a template of one letter throughout,
// whose exponent is zero everywhere. Inequivalent templates have one: a polynomial in the point
// tells each two apart, so that few points of a large box fail.
function separate(rows, tokens) {
  const random = generator(), length = rows[0].length;
  const several = rows.filter((row) => !isConstant(row));
  const taken = several.length < rows.length ? ["0"] : [];
  for (let range = 1, attempt = 0; ; attempt++) {
    if (attempt % 30 === 29) range = Math.min(2 * range, 2 ** 30);
    const xi = Array.from({length: length - 1}, () => BigInt(random(range)));
    xi.push(-xi.reduce((sum, x) => sum + x, 0n));
    const y = Array.from({length: tokens}, () => BigInt(random(range)));
    const seen = new Set(taken);
    const apart = several.every((row) => {
      const value = exponentOf(row, xi, y).toString(), size = seen.size;
      return seen.add(value).size > size;
    });
    if (apart) return {xi, y, exponents: rows.map((row) => exponentOf(row, xi, y))};
  }
}

// ---- Certificates ----

const KERNEL = {beta: null, gamma: null, normalised: true, scale: "main", activation: null};

function documentOf(task, tokens, kind, certificate, statement, parameters, theorems) {
  const wildcards = [...new Set(task.rows.flat())].filter((letter) => !tokens.has(letter));
  const document = {
    format: "symbench certificate 2", writer: "symbench report page", kind,
    title: "", note: "", about: {templates: Array.from(task.names.join(", ")).slice(0, 200).join("")},
    statement: `K_tau of softmax attention ${statement}`, parameters, theorems,
    exactness: "exact", certificate,
    subject: {type: "Templates", data: {
      tokens: [...tokens.keys()], wildcards, rows: task.rows, labels: task.labels, kernel: KERNEL,
    }},
  };
  document.digest = globalThis.checkCertificate.digest(document);
  const lines = Object.entries(document).map(
    ([name, value]) => ` ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

function answer(given) {
  const task = readTask(given), tokens = new Map();
  for (const letter of task.rows.flat()) {
    if (!task.wild.has(letter) && !tokens.has(letter)) tokens.set(letter, tokens.size);
  }
  const rows = task.rows.map((row) => numbered(row, tokens)), classes = new Map();
  rows.forEach((row, i) => {
    const key = row.join();
    classes.set(key, [...classes.get(key) || [], i]);
  });
  const ends = rows.map((row) => row[row.length - 1]);
  const oneEnd = ends[0] >= 0 && ends.every((end) => end === ends[0]);
  const name = oneEnd ? "positive-definite" : "no-cls";
  const theorems = [{claim: `symbench.${name}`, page: `proofs/symbench/${name}.md`}];
  const every = "every beta, gamma != 0", groups = [...classes.values()];
  const alike = groups.filter((members) => members.length > 1);
  const table = {templates: task.names, labels: task.labels, letters: task.letters, ends: task.rows.map(shown),
    tokens: [...tokens.keys()], constant: rows.some(isConstant), alike: alike.map((members) => members.map((i) => task.names[i]))};
  const split = alike.flatMap((members) => {
    const other = task.labels
      ? members.find((i) => task.meant[i] !== task.meant[members[0]]) : members[1];
    return other === undefined ? [] : [[members[0], other]];
  })[0];
  if (split) {
    const weights = rows.map((_, i) => [i === split[0] ? "1" : i === split[1] ? "-1" : "0"]);
    const nothing = {ring: "QQ", shape: [String(rows.length), "1"], rows: weights};
    return {...table, status: "not learnable", pair: split.map((i) => task.names[i]),
      pairLabels: task.labels && split.map((i) => task.labels[i]),
      document: documentOf(task, tokens, "singular", {null: nothing},
        "is singular: a null vector with 2 nonzero entries", "beta any, gamma any", [])};
  }
  const firsts = groups.map(([first]) => first);
  const {xi, y, exponents} = separate(firsts.map((i) => rows[i]), tokens.size);
  const point = {xi: xi.map(String), y: y.map(String)}, found = new Map();
  groups.forEach((members, k) => members.forEach((i) => found.set(i, String(exponents[k]))));
  const told = {...table, ...point, exponents: rows.map((_, i) => found.get(i))};
  if (!alike.length) {
    return {...told, status: "learnable",
      document: documentOf(task, tokens, "one-point", point,
        `is positive definite for ${every}: distinct exponents at one point`, every, theorems)};
  }
  return {...told, status: "learnable with these labels",
    document: documentOf(task, tokens, "template-rank", {rank: String(groups.length), ...point},
      `has rank ${groups.length} for ${every}: as many inequivalent templates`, every, theorems)};
}

globalThis.separateTask = (given) => {
  try {
    return answer(given);
  } catch (error) {
    if (error instanceof Refused) return {error: error.message};
    throw error;
  }
};
if (typeof module !== "undefined" && module.exports) {
  module.exports = {separateTask: globalThis.separateTask};
}
})();
