// Checks certificate files of symbench (format 2) and bundles of them: without symbench, without
// search, by exact integer arithmetic alone. It shares no code with the checkers in Python.
//
//   node check_certificate.js FILE...   one line per file; exit code 0: all checked, 1: something
//                                       is BAD, 2: usage or unreadable, 3: something is re-run only
//   checkCertificate(text)              in a page: {status, statement, theorems, reason} with the
//                                       status "checked", "re-run" or "BAD"
(function () {
"use strict";

class Bad extends Error {}
function need(condition, reason) { if (!condition) throw new Bad(reason); }

// Work is counted before it is done, a step is about a nanosecond: a crafted file is refused. What
// is stored is counted too, in words of eight bytes.
let budget = 0;
function afford(steps) { need(steps <= budget, "too large to be checked here"); }
function spend(steps) { afford(steps); budget -= steps; }
function store(words) { need(words < 2e7, "too large to be checked here"); }

// ---- Text: JSON without numbers and repeated keys, its one canonical spelling, SHA-256 ----

const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
const show = (text) => JSON.stringify(text.length > 60 ? text.slice(0, 60) + "..." : text);

// JSON.parse is strict but for one thing: of a repeated key it keeps the last, and loses the others
// with all below them. So keys are fewer than the colons outside of strings, if one is repeated.
function parseJson(text) {
  let colons = 0, depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === "\\") i++;
    } else if (text[i] === ":") colons++;
    else if (text[i] === "{" || text[i] === "[") need(++depth <= 100, "nesting deeper than 100");
    else if (text[i] === "}" || text[i] === "]") depth--;
  }
  const keysIn = (value) => {
    need(typeof value !== "number", "a number that is not a string");
    need(typeof value !== "string" || !/[\ud800-\udfff]/u.test(value), "half a surrogate pair");
    if (value === null || typeof value !== "object") return 0;
    const keys = Array.isArray(value) ? [] : Object.keys(value);
    return [...keys, ...Object.values(value)].reduce((sum, x) => sum + keysIn(x), keys.length);
  };
  let value;
  try { value = JSON.parse(text); } catch { need(false, "the text is not JSON"); }
  need(keysIn(value) === colons, "a key is given twice");
  return value;
}
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (isObject(value)) { // sorted by code points, as UTF-16 puts those above U+FFFF before U+E000
    const points = (key) => Array.from(key, (c) => c.codePointAt(0).toString(16).padStart(6, "0"));
    const keys = Object.keys(value).map((key) => [points(key).join(""), key]);
    keys.sort((a, b) => a[0] < b[0] ? -1 : 1);
    return `{${keys.map(([, key]) => `${canonical(key)}:${canonical(value[key])}`).join(",")}}`;
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

// SHA-256 begins with 32 bits of the fractions of the roots of the first 64 primes.
const PRIMES = [...Array(312).keys()].filter(
  (n) => n > 1 && [2, 3, 5, 7, 11, 13, 17].every((p) => n === p || n % p));
const fraction = (x) => (x % 1) * 2 ** 32 | 0;
const ROUNDS = PRIMES.map((p) => fraction(Math.cbrt(p)));
function sha256(text) {
  const message = new TextEncoder().encode(text), length = message.length;
  const bytes = new Uint8Array(64 * Math.ceil((length + 9) / 64));
  const view = new DataView(bytes.buffer);
  bytes.set(message);
  bytes[length] = 0x80;
  view.setUint32(bytes.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(bytes.length - 4, length << 3);
  const state = PRIMES.slice(0, 8).map((p) => fraction(Math.sqrt(p))), w = new Int32Array(64);
  const turn = (x, n) => x >>> n | x << (32 - n);
  for (let block = 0; block < bytes.length; block += 64) {
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const x = w[i - 15], y = w[i - 2];
      w[i] = i < 16 ? view.getInt32(block + 4 * i) : w[i - 16] + w[i - 7]
        + (turn(x, 7) ^ turn(x, 18) ^ x >>> 3) + (turn(y, 17) ^ turn(y, 19) ^ y >>> 10);
      const s = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + ROUNDS[i] + w[i];
      const t = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c);
      h = g; g = f; f = e; e = d + s | 0; d = c; c = b; b = a; a = s + t | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => { state[i] = state[i] + x | 0; });
  }
  return state.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}

// ---- Fields and numbers ----

function fields(object, keys, optional = "") { // exactly these keys
  const [required, more] = [keys, optional].map((names) => names.split(" ").filter((name) => name));
  need(isObject(object) && required.every((key) => Object.hasOwn(object, key)),
    `keys are missing: ${keys}`);
  const allowed = new Set([...required, ...more]);
  const other = Object.keys(object).find((key) => !allowed.has(key));
  need(other === undefined, `the key ${show(String(other))} is not of the format`);
  return object;
}
function string(value, what) {
  need(typeof value === "string", `${what} is no string`);
  return value;
}
function list(value, what) {
  need(Array.isArray(value), `${what}: no list`);
  return value;
}
const distinct = (values) => new Set(values).size === values.length;

function integer(text) {
  need(String(text).length <= 1e6, "too large to be checked here");
  if (typeof text !== "string" || !/^(?:0|-?[1-9][0-9]*)$/.test(text)) {
    need(false, `${show(String(text))} is not an integer in its one spelling`);
  }
  if (text.length > 1000) spend((text.length / 20) ** 2);
  return BigInt(text);
}
function small(text, low, high, what) {
  const n = integer(text);
  need(low <= n && n <= high, `${what} is not from ${low} to ${high}`);
  return Number(n);
}
const WORD = 2n ** 64n, words = (n) => -WORD < n && n < WORD ? 1 : n.toString(16).length / 16 + 1;
const longest = (numbers) => numbers.reduce((most, n) => Math.max(most, words(n)), 1);
const abs = (n) => n < 0n ? -n : n;
const mod = (n, m) => { const rest = n % m; return rest < 0n ? rest + m : rest; };
const total = (numbers) => numbers.reduce((sum, n) => sum + n, 0n);
const costOf = (m, n) => 100 + 4 * m * n; // the cost of multiplying and adding, by words
function gcd(a, b) {
  const size = Math.min(words(a), words(b)) + 1;
  spend(40 * size * costOf(size, 1));
  while (b) [a, b] = [b, a % b];
  return abs(a);
}
function lcm(numbers) { // of denominators: each of the numerators will be as long as it
  let result = 1n;
  for (const n of numbers) {
    if (n === 1n) continue;
    spend(costOf(words(result), words(n)));
    const rest = result % n;
    if (rest) result *= n / gcd(n, rest);
    if (rest) store(words(result) * numbers.length);
  }
  return result;
}
function rational(text) {
  const [n, d = 1n, ...more] = string(text, "a number").split("/", 3).map(integer);
  need(!text.includes("/") || d > 1n && gcd(n, d) === 1n && !more.length,
    `${show(text)} is not reduced`);
  return {n, d};
}
function inverse(n, p) {
  let [a, b, x, y] = [p, mod(n, p), 0n, 1n];
  need(b, `${p} divides a denominator`);
  while (b) [a, b, x, y] = [b, a % b, y, x - a / b * y];
  return mod(x, p);
}

// Integers modulo p. Below 2^32 they are doubles: one factor is split at 16 bits, so no product
// reaches 2^50. A quotient by the rounded 1/p is less than 2^-34 off: too small at multiples of p,
// perhaps, which the last line mends, and right elsewhere, 1/p or more away from integers.
function field(p) {
  const narrow = p < 2n ** 32n, P = Number(p), part = 1 / P, lift = narrow ? Number : BigInt;
  const minus = narrow ? (t, f, s) => { // t - f s
    const g = P - f;
    let x = Math.floor(g / 65536) * s;
    x -= Math.floor(x * part) * P;
    x = t + x * 65536 + g % 65536 * s;
    x -= Math.floor(x * part) * P;
    return x >= P ? x - P : x;
  } : (t, f, s) => mod(t - f * s, p);
  const zero = lift(0), one = lift(1), negative = (x) => minus(zero, x, one);
  const times = (x, y) => minus(zero, negative(x), y);
  return {
    zero, one, negative, times, cost: narrow ? 10 : 300,
    of: (n) => lift(mod(n, p)),
    reciprocal: (x) => lift(inverse(BigInt(x), p)),
    power(x, e) {
      let result = one;
      for (const bit of e.toString(2)) {
        result = times(result, result);
        if (bit === "1") result = times(result, x);
      }
      return result;
    },
    subtract(target, to, factor, source, from, count) { // target -= factor * source
      for (let i = 0; i < count; i++) {
        target[to + i] = minus(target[to + i], factor, source[from + i]);
      }
    },
  };
}
function prime(text) { // below 2^64 Miller and Rabin's test is sure with the first twelve primes
  const n = integer(text);
  need(2n <= n && n < WORD, `${show(text)} is not from 2 to 2^64`);
  const F = field(n), bases = PRIMES.slice(0, 12).map(BigInt), minusOne = F.of(-1n);
  let odd = n - 1n, twos = 0;
  for (; odd && !(odd & 1n); odd >>= 1n) twos++;
  need(bases.includes(n) || bases.every((base) => {
    let x = F.power(F.of(base), odd);
    if (x === F.one) return true;
    for (let i = 0; i < twos; i++, x = F.times(x, x)) if (x === minusOne) return true;
    return false;
  }), `${n} is not a prime`);
  return n;
}

// The order and the leading coefficient of a determinant over GF(p)[b]/b^precision, where an entry
// fills `precision` columns (precision 1: the determinant itself). Pivots of least order d keep all
// that is known: a quotient is known up to precision - d and multiplies entries of order d or more.
function determinant(F, A, precision = 1) {
  const n = A.length;
  spend(n ** 3 / 3 * precision * (precision + 1) / 2 * F.cost + n ** 3 * (precision - 1));
  let lead = F.one, sum = 0;
  for (let k = 0; k < n; k++) {
    let [order, row, column] = [precision, k, k];
    for (let j = k; j < n && order; j++) {
      for (let i = k; i < n && order; i++) {
        let d = 0;
        while (d < order && A[i][j * precision + d] === F.zero) d++;
        if (d < order) [order, row, column] = [d, i, j];
      }
    }
    need(order < precision, "the determinant vanishes modulo the prime");
    if ((row !== k) !== (column !== k)) lead = F.negative(lead);
    [A[row], A[k]] = [A[k], A[row]];
    const first = k * precision, other = column * precision, start = first + order, pivot = A[k];
    for (const line of column === k ? [] : A) {
      for (let d = 0; d < precision; d++) {
        [line[first + d], line[other + d]] = [line[other + d], line[first + d]];
      }
    }
    const unit = F.reciprocal(pivot[start]);
    lead = F.times(lead, pivot[start]);
    sum += order;
    for (let i = k + 1; i < n; i++) {
      for (let m = 0; m < precision - order; m++) {
        const factor = F.times(A[i][start + m], unit);
        if (factor === F.zero) continue;
        if (precision === 1) F.subtract(A[i], k, factor, pivot, k, n - k);
        else for (let j = start; j < n * precision; j += precision) {
          F.subtract(A[i], j + m, factor, pivot, j, precision - order - m);
        }
      }
    }
  }
  return {order: sum, lead: BigInt(lead)};
}
function residueIs(c, {order, lead}) {
  const residue = integer(c.residue);
  need(0n < residue && residue < integer(c.prime), "the residue is not between zero and the prime");
  need(lead === residue, `the determinant is ${lead} modulo the prime, not the residue`);
  need(c.valuation === undefined || integer(c.valuation) === BigInt(order),
    "the valuation is another");
}

// ---- Matrices ----

function ringOf(value) {
  const spelling = canonical(value);
  if (RATIONAL.includes(value)) return {name: value, spelling, bottom: value, variables: []};
  const rings = {GF: "", balls: "", exponentials: "", polynomials: "variables",
    series: "variable precision"};
  const name = Object.keys(rings).find((key) => isObject(value) && Object.hasOwn(value, key));
  need(name, `${show(spelling)} is not a ring`);
  fields(value, `${name} ${rings[name]}`);
  if (name === "GF") return {name, spelling, bottom: name, modulus: prime(value.GF), variables: []};
  if (name === "balls") return {name, spelling, bits: small(value.balls, 2, 1e7, "the bits")};
  const base = ringOf(name === "exponentials" ? "QQ" : value[name]);
  need(["ZZ", "QQ", "GF"].includes(base.name) || name === "series" && base.name === "polynomials",
    `${name} are not over ${base.name}`);
  const own = name === "polynomials" ? list(value.variables, "variables")
    : [name === "series" ? value.variable : value.exponentials];
  const variables = [...base.variables, ...own];
  need(own.length && own.every((x) => typeof x === "string" && /^[A-Za-z_][A-Za-z_0-9]*$/.test(x))
    && distinct(variables), "the variables are not distinct names");
  const ring = {name, spelling, base, bottom: base.bottom, modulus: base.modulus, variables};
  if (name !== "series") return ring;
  const precision = small(value.precision, 1, 1e4, "the precision");
  return {...ring, variables: base.variables, variable: value.variable, precision};
}
// An entry is a list of terms {n, d, e}, n/d times the monomial with the exponents e; [] is zero.
// Over series it is a list of such lists; for balls it is the four integers.
function entryOf(value, ring) {
  if (ring.name === "series") {
    need(list(value, "a series").length === ring.precision, "a series has another length");
    return value.map((x) => entryOf(x, ring.base));
  }
  if (ring.name === "balls") {
    const [m, e, r, s] = list(value, "a ball").map(integer), high = 2n ** 20n;
    need(value.length === 4 && abs(e) <= high && abs(s) <= high && 0n <= r && r < 2n ** 30n
      && (m & 1n || !m && !e) && (r & 1n || !r && !s), "a ball is not in its one spelling");
    return {m, e, r, s};
  }
  if (!ring.base) {
    const x = ring.name === "QQ" ? rational(value) : {n: integer(value), d: 1n};
    need(!ring.modulus || 0n <= x.n && x.n < ring.modulus, "an entry is no residue of the field");
    return x.n ? [{...x, e: []}] : [];
  }
  const terms = list(value, "an entry").map((item) => {
    need(list(item, "a term").length === 2, "a term is not a coefficient and its exponents");
    const [x] = entryOf(item[0], ring.base);
    need(x, "a term has the coefficient zero");
    if (ring.name === "exponentials") return {...x, q: rational(item[1])};
    const e = list(item[1], "exponents").map((text) => BigInt(small(text, 0, 1e6, "an exponent")));
    need(e.length === ring.variables.length, "a term has not one exponent per variable");
    return {...x, e};
  });
  terms.forEach((x, i) => {
    if (!i) return;
    const last = terms[i - 1], place = x.q ? 0 : x.e.findIndex((e, j) => e !== last.e[j]);
    need(x.q ? last.q.n * x.q.d < x.q.n * last.q.d : place >= 0 && x.e[place] < last.e[place],
      "terms are not in their order");
  });
  return terms;
}
function withTerms(ring, r, c, rows) {
  const depth = ring.name === "series" ? 3 : 2;
  return {ring, r, c, rows, terms: ring.name === "balls" ? [] : rows.flat(depth)};
}
function matrixOf(value, rings, r, c) {
  const {ring: given, shape, rows} = fields(value, "ring shape rows"), ring = ringOf(given);
  need(!rings || rings.includes(ring.name), `a matrix over ${ring.name}, not over ${rings}`);
  const [height, width, ...more] = list(shape, "shape").map((n) => small(n, 0, 1e9, "the shape"));
  need(width !== undefined && !more.length, "the shape is not two numbers");
  need((r ?? height) === height && (c ?? width) === width, "a matrix has not the shape asked for");
  need(list(rows, "rows").length === height
    && rows.every((row) => list(row, "a row").length === width),
    "the rows do not fit the shape");
  return withTerms(ring, height, width, rows.map((row) => row.map((x) => entryOf(x, ring))));
}
const RATIONAL = ["ZZ", "QQ"];

// Multiplies matrices by their common denominator: then terms have integers c, cells whole(cell).
function clear(...matrices) {
  const terms = matrices.flatMap((M) => M.terms), denominator = lcm(terms.map((x) => x.d));
  for (const x of terms) x.c = denominator === 1n ? x.n : x.n * (denominator / x.d);
  return denominator;
}
const whole = (cell) => cell.length ? cell[0].c : 0n;
function integers(M) { // for ZZ, QQ and GF
  clear(M);
  return M.rows.map((row) => row.map(whole));
}
// Exponents of q become integers: those of its root of order d, the common denominator.
function clearExponents(...matrices) {
  const terms = matrices.flatMap((M) => M.terms).filter((x) => x.q);
  const d = lcm(terms.map((x) => x.q.d));
  for (const x of terms) x.e = [x.q.n * (d / x.q.d)];
}
// Fractions {n, d} in lowest terms, of at most 64 words.
const ZERO = {n: 0n, d: 1n};
const fractions = (M) => M.rows.map((row) => row.map(([x]) => x ? {n: x.n, d: x.d} : ZERO));
function reduced(n, d) {
  if (!n) return ZERO;
  const common = d === 1n ? 1n : gcd(n, d), x = {n: n / common, d: d / common};
  need(longest([x.n, x.d]) <= 65, "too large to be checked here");
  return x;
}
function times(x, y) {
  spend(costOf(longest([x.n, x.d]), longest([y.n, y.d])));
  return x.n && y.n ? reduced(x.n * y.n, x.d * y.d) : ZERO;
}
function plus(x, y) {
  spend(3 * costOf(longest([x.n, x.d]), longest([y.n, y.d])));
  return x.n && y.n ? reduced(x.n * y.d + y.n * x.d, x.d * y.d) : x.n ? x : y;
}
const minus = (x, y) => plus(x, {n: -y.n, d: y.d});
const sumOf = (values) => values.reduce(plus, ZERO);
// An activation, a polynomial or else the positive part, and its derivative.
const horner = (coefficients, z) => coefficients.reduceRight((sum, a) => plus(times(sum, z), a), ZERO);
const valueOf = (phi, z) => phi ? horner(phi, z) : z.n > 0n ? z : ZERO;
const slopeOf = (phi, z) => phi
  ? horner(phi.slice(1).map((a, n) => times({n: BigInt(n + 1), d: 1n}, a)), z)
  : {n: z.n > 0n ? 1n : 0n, d: 1n};
const square = (M) => need(M.r === M.c, "the matrix is not square");
function symmetric(M) {
  square(M);
  const rows = integers(M);
  need(rows.every((row, i) => row.every((x, j) => x === rows[j][i])),
    "the matrix is not symmetric");
  return rows;
}
const transpose = (rows, width) => Array.from({length: width}, (_, j) => rows.map((row) => row[j]));
function timesTransposed(A, B) { // A B^T
  const cost = costOf(longest(A.flat()), longest(B.flat()));
  spend(A.length * B.length * (A[0] || []).length * cost);
  return A.map((a) => B.map((b) => {
    let sum = 0n;
    for (let k = 0; k < a.length; k++) if (a[k] && b[k]) sum += a[k] * b[k];
    return sum;
  }));
}
function pointOf(point, ring) {
  fields(point, ring.variables.join(" "));
  return {values: ring.variables.map((name) => integer(point[name])),
    at: [...ring.variables].sort().map((name) => `, ${name} = ${point[name]}`).join("")};
}
// The image modulo p at a point; over series an entry fills `precision` columns.
function image(M, p, point) {
  const F = field(p), values = point.values.map(F.of), roots = M.ring.name === "exponentials";
  need(!M.ring.modulus || M.ring.modulus === p, "the prime is not that of the field");
  need(!roots || values[0] !== F.zero, "the point's value is zero modulo the prime");
  if (roots) clearExponents(M);
  spend(M.terms.length * (100 + 100 * F.cost * values.length));
  const at = (entry) => F.of(total(entry.map(({n, d, e}) => BigInt(values.reduce(
    (value, x, i) => F.times(value, F.power(x, roots ? mod(e[i], p - 1n) : e[i])),
    F.of(d === 1n ? n : n * inverse(d, p)))))));
  return {F, rows: M.rows.map((row) => (M.ring.name === "series" ? row.flat() : row).map(at))};
}

// An inverse modulo m, where there is one, says once more that the determinant is not zero.
function checkInverse(c, M) {
  need((c.modulus === undefined) === (c.inverse === undefined),
    "modulus and inverse come together");
  if (c.modulus === undefined) return;
  need(RATIONAL.includes(M.ring.name), "a modulus is for matrices over ZZ and QQ");
  const m = integer(c.modulus), A = integers(matrixOf(c.inverse, ["ZZ"], M.r, M.r));
  need(2n <= m && m < WORD, "the modulus is not from 2 to 2^64");
  need(A.every((row) => row.every((x) => 0n <= x && x < m)), "the inverse is not of residues");
  const columns = transpose(integers(M), M.r).map((column) => column.map((x) => mod(x, m)));
  need(timesTransposed(A, columns).every(
    (row, i) => row.every((x, j) => mod(x - BigInt(i === j), m) === 0n)),
    "the inverse is none");
}
// Row i of W M begins at order d_i, with the row i of N: det(W M) = det(N) b^(sum of d) + ..., so a
// det(N) that is not zero makes M nonsingular. W is polynomial: no unknown coefficient of M enters.
function framed(c, M, p, point) {
  const {bottom, precision, variable} = M.ring, W = matrixOf(c.frame, ["polynomials"], M.r, M.r);
  need(bottom === "QQ", "a frame is for series over the rational numbers");
  need(W.ring.spelling === `{"polynomials":"QQ","variables":["${variable}"]}`,
    "the frame's ring is another");
  const orders = list(c.orders, "orders").map((d) => small(d, 0, precision - 1, "an order"));
  need(orders.length === M.r, "there is not one order per row");
  const denominator = clear(M) * clear(W);
  const degree = M.terms.reduce((most, x) => Math.max(most, ...x.e.map(Number)), 0);
  store(longest(point.values) * degree * M.terms.length * point.values.length);
  const value = (entry) => total(entry.map(
    (x) => point.values.reduce((value, base, i) => value * base ** x.e[i], x.c)));
  const values = M.rows.map((row) => row.map((cell) => cell.map(value)));
  const cost = costOf(longest(values.flat(2)), longest(W.terms.map((x) => x.c)));
  spend(W.terms.length * M.c * precision * cost);
  const F = field(p), N = W.rows.map((row, i) => M.rows.map((_, j) => {
    const sums = Array(orders[i] + 1).fill(0n);
    row.forEach((cell, k) => cell.forEach((x) => {
      const shift = Number(x.e[0]);
      for (let m = shift; m <= orders[i]; m++) sums[m] += x.c * values[k][j][m - shift];
    }));
    const n = sums.pop(), common = gcd(n, denominator);
    need(sums.every((x) => !x), "a combined row begins before its order");
    return F.of(n / common * inverse(denominator / common, p));
  }));
  return {order: orders.reduce((a, b) => a + b, 0), lead: determinant(F, N).lead};
}

// Null vectors over ZZ, QQ or the very ring of M, as vectors over the ring of M.
function mapped(N, {ring}) {
  if (N.ring.spelling === ring.spelling) return N;
  need(RATIONAL.includes(N.ring.name), "the null vectors are over another ring");
  need(ring.bottom !== "GF" || N.ring.name === "ZZ", "null vectors over QQ, a matrix over GF");
  need(ring.bottom !== "ZZ" || N.terms.every((x) => x.d === 1n), "a null vector has fractions");
  const into = (x) => ({n: ring.modulus ? mod(x.n, ring.modulus) : x.n, d: x.d,
    e: ring.variables.map(() => 0n), q: ring.name === "exponentials" && {n: 0n, d: 1n}});
  const rows = N.rows.map((row) => row.map((cell) => cell.map(into).filter((x) => x.n)));
  return withTerms(N.ring, N.r, N.c, rows);
}
function annihilates(M, N) { // M N = 0, without denominators
  const vanishes = (x) => !(M.ring.modulus ? x % M.ring.modulus : x);
  const reason = "the matrix does not map the null vectors to zero";
  if (!M.ring.base) {
    const image = timesTransposed(integers(M), transpose(integers(N), N.c));
    return need(image.every((row) => row.every(vanishes)), reason);
  }
  clear(M);
  clear(N);
  if (M.ring.name === "exponentials") clearExponents(M, N);
  const [m, n] = [M, N].map((X) => longest(X.terms.map((x) => x.c)));
  for (const row of M.rows) {
    for (let k = 0; k < N.c; k++) {
      const sums = new Map();
      row.forEach((cell, j) => {
        spend(20 + (500 + costOf(m, n)) * cell.length * N.rows[j][k].length);
        for (const x of cell) {
          for (const y of N.rows[j][k]) {
            const monomial = x.e.map((e, i) => e + y.e[i]).join();
            sums.set(monomial, (sums.get(monomial) || 0n) + x.c * y.c);
          }
        }
        store(20 * sums.size);
      });
      need([...sums.values()].every(vanishes), reason);
    }
  }
}
const scope = (ring) => ["polynomials", "exponentials"].includes(ring.name) ? "generic" : "these";
const nonzero = (N) => N.rows.flat().filter((cell) => cell.length).length;
const dominant = (rows) => need(rows.every((row, i) => 2n * row[i] > total(row.map(abs))),
  "a row is not strictly diagonally dominant");

function permutation(value, n) {
  const places = list(value, "a permutation").map((i) => small(i, 0, n - 1, "a place"));
  need(places.length === n && distinct(places), `a permutation of ${n} places is not one`);
  return places;
}
// Slacks u_i + v_j - C_ij, none negative: those on a permutation add up to the sum of all u and v
// minus its value, so it is best if they are zero on it, and others are as good only if so too.
function slacks(c, M, permutations) {
  square(M);
  const [u, v] = [c.rows, c.columns].map((x) => matrixOf(x, RATIONAL, 1, M.r));
  clear(M, u, v);
  const slack = M.rows.map((row, i) => row.map(
    (x, j) => whole(u.rows[0][i]) + whole(v.rows[0][j]) - whole(x)));
  need(slack.every((row) => row.every((x) => x >= 0n)), "a slack is negative");
  need(permutations.every((p) => p.every((j, i) => !slack[i][j])),
    "a slack on a permutation is not zero");
  return slack;
}
// All roots of a monic integer polynomial (highest power first) are real: Sturm's chain loses one
// degree a step and its leading coefficients stay positive, until nothing is left. Its members are
// subresultants, so the division by the square of a leading coefficient is exact.
function needRealRoots(P) {
  let a = P, b = P.slice(0, -1).map((x, i) => x * BigInt(P.length - 1 - i));
  while (b.some((x) => x)) {
    need(b[0] > 0n, "not all eigenvalues are real");
    const size = longest([...a, ...b]);
    spend(4 * b.length * costOf(size, size));
    const x = a[0] * b[0], y = a[1] * b[0] - a[0] * (b[1] || 0n), divisor = a[0] ** 2n;
    const rest = a.map((n, i) => x * (b[i] || 0n) + y * (b[i - 1] || 0n) - b[0] ** 2n * n).slice(2);
    need(rest.every((n) => n % divisor === 0n), "a division in Sturm's chain is not exact");
    [a, b] = [b, rest.map((n) => n / divisor)];
  }
}

// ---- Templates: rows of numbers, a token's place in the list or -1 minus a wildcard's ----

function kernelOf(kernel) {
  if (kernel === null) return null;
  fields(kernel, "beta gamma normalised scale activation");
  const {beta, gamma, normalised, scale, activation} = kernel;
  for (const x of [beta, gamma]) if (x !== null) rational(x);
  need(typeof normalised === "boolean", "normalised is neither true nor false");
  need(scale === "main" || scale === "appendix-H", "the scale is unknown");
  const [name, ...rest] = activation === null ? ["none"] : list(activation, "the activation");
  [name, ...rest].forEach((x) => string(x, "a part of the activation"));
  const plain = !activation
    || ["erf", "exp", "gelu", "relu", "sigmoid", "sign", "step", "tanh"].includes(name);
  need(plain ? !rest.length : name === "polynomial" ? rest.length
    : name === "cos" && rest.length === 2, "the activation is unknown");
  const numbers = name === "cos" ? rest.slice(0, 1) : rest; // that of cos is followed by its phase
  numbers.forEach(rational);
  const constant = !plain && numbers.slice(name === "cos" ? 0 : 1).every((x) => x === "0");
  const main = scale === "main";
  return {beta, gamma, normalised, main, activation: activation && name, constant};
}
function templatesOf(data) {
  const T = fields(data, "tokens wildcards rows labels kernel"), numbers = new Map();
  const letters = (key, number) => list(T[key], key).forEach(
    (letter, i) => numbers.set(string(letter, "a letter"), number(i)));
  letters("tokens", (i) => i);
  letters("wildcards", (i) => -1 - i);
  need(numbers.size === T.tokens.length + T.wildcards.length && !numbers.has(""),
    "letters are not distinct");
  let tokens = 0, wildcards = 0;
  const rows = list(T.rows, "rows").map((row) => list(row, "a template").map((letter) => {
    const n = numbers.get(letter);
    if (n === tokens) tokens++;
    if (-1 - n === wildcards) wildcards++;
    need(n < tokens && -1 - n < wildcards, "letters are not listed as they first appear");
    return n;
  }));
  need(tokens === T.tokens.length && wildcards === T.wildcards.length,
    "a listed letter does not occur");
  const length = rows.length && rows[0].length, end = length && rows[0][length - 1];
  need(length && rows.every((row) => row.length === length),
    "templates of several lengths, or none");
  need(T.labels === null || list(T.labels, "labels").length === rows.length,
    "there is not one label per row");
  for (const label of T.labels || []) string(label, "a label");
  const oneEnd = end >= 0 && rows.every((row) => row[length - 1] === end);
  const kernel = kernelOf(T.kernel);
  const over = kernel && kernel.activation ? `${kernel.activation} over ` : "";
  const name = !kernel ? "every token-symmetric kernel"
    : over + (kernel.normalised ? "softmax attention" : "attention without normalisation")
      + (kernel.main ? "" : " (23)");
  return {rows, length, tokens, kernel, name, oneEnd};
}
function numbered(row, keep) { // letters from `keep` on stay; others are -1, -2, ... as they appear
  const seen = new Map();
  for (const n of row) if (n < keep && !seen.has(n)) seen.set(n, -1 - seen.size);
  return row.map((n) => n < keep ? seen.get(n) : n);
}
const canonicalRow = (row) => numbered(row, 0);
function summed(row, values) { // the sum of the values at the places of each letter
  const sums = new Map();
  row.forEach((n, a) => sums.set(n, (sums.get(n) || 0n) + values[a]));
  return [...sums];
}
function typeOf(row) {
  const counts = summed(row, row.map(() => 1n)).sort(([x], [y]) => x - y);
  const tokens = counts.filter(([n]) => n >= 0);
  const sizes = counts.filter(([n]) => n < 0).map(([, x]) => Number(x)).sort((x, y) => x - y);
  return {tokens: new Set(tokens.map(([n]) => n)), key: `${tokens.join(";")}|${sizes}`};
}
const exponent = (row, xi, y) => total(
  summed(row, xi).map(([n, sum]) => n >= 0 ? 2n * y[n] * sum : sum * sum));
function pointFits(T, xi, y) {
  need(xi.length === T.length && y.length === T.tokens,
    "the point has not one coordinate per place and token");
  need(total(xi) === 0n, "the coordinates xi do not add up to zero");
  const size = longest([...xi, ...y]);
  spend(T.rows.length * T.length * 3 * costOf(size, size));
}
// The Fourier transform of a relation between the features of templates is a sum of exponentials
// with these exponents, and different ones are independent; the theorems' pages say it in full.
function separated(rows, T, c) {
  const xi = list(c.xi, "xi").map(integer), y = list(c.y, "y").map(integer);
  pointFits(T, xi, y);
  const value = (row) => String(exponent(row, xi, y)), same = "two templates have one exponent";
  if (!T.kernel || T.kernel.main) {
    const alike = (row) => row.every((n) => n === row[0]), constant = rows.filter(alike);
    const others = rows.filter((row) => !alike(row)).map(value);
    need(distinct(others), same);
    need(!constant.length || !others.includes("0"),
      "an exponent is zero beside a template with one letter");
    need(distinct(constant.map((row) => Math.max(row[0], -1))),
      "two templates have one and the same letter");
    return;
  }
  const layout = (row) => row.map((n) => Math.max(n, -1)).join(), last = (row) => row[T.length - 1];
  need(distinct(rows.map((row) => last(row) >= 0 ? `${last(row)}:${value(row)}`
    : `${layout(row)};${value(row)}`)), same);
  const sum = (row) => String(total(row.map((n, a) => n >= 0 ? y[n] * xi[a] : 0n)));
  const wild = rows.filter((row) => last(row) < 0);
  const layouts = new Map(wild.map((row) => [layout(row), sum(row)]));
  need(distinct([...layouts.values()]), "two layouts of tokens have one sum");
}
function seenBy(k, row) { // what a kernel can tell of a template
  if (!k || k.activation && !k.constant && !k.normalised) return row;
  if (k.constant) return row.map(() => -1);
  const seen = k.normalised ? canonicalRow(row) : row.map((n, a) => n >= 0 ? n : -1 - a);
  if (k.gamma !== "0") return seen;
  const end = seen.length - (k.main ? 0 : 1);
  const count = new Map(summed(seen, seen.map(() => 1n)));
  const order = (x, y) => (x < 0) - (y < 0) || Number(count.get(y) - count.get(x))
    || Math.abs(x) - Math.abs(y);
  return [...seen.slice(0, end).sort(order), ...seen.slice(end)];
}
// Tokens are shared by two rows, wildcards are not. A kernel that knows no names of tokens sees of
// two rows which letters are equal, and is symmetric.
const joined = (row, other) =>
  numbered([...row, ...other.map((n) => n >= 0 ? n : n - row.length)], Infinity).join();
// Entries of K_tau with one name are equal, whatever their value is: where the weights of each name
// add up to zero in every row, the vector is a null vector. Rows that look alike go together.
function annihilatesNames({rows, kernel: k, oneEnd, length}, weights) {
  const byType = k && k.normalised && k.beta !== "0" && k.gamma === "0" && !k.activation
    && (k.main || oneEnd);
  const classes = new Map();
  spend(rows.length * length * 2000);
  rows.forEach((row, i) => {
    const seen = canonicalRow(seenBy(k, row)), type = typeOf(row);
    const key = byType ? type.key : seen.join();
    if (!classes.has(key)) classes.set(key, {seen, type, key, weight: 0n});
    classes.get(key).weight += weights[i];
  });
  const all = [...classes.values()], weighty = all.filter((x) => x.weight);
  spend(all.length * weighty.length * length * 500);
  for (const one of all) {
    const sums = new Map();
    for (const two of weighty) {
      const shared = [...one.type.tokens].some((n) => two.type.tokens.has(n));
      if (byType && !shared) continue; // a zero entry
      const name = byType ? two.key
        : [joined(one.seen, two.seen), joined(two.seen, one.seen)].sort()[0];
      sums.set(name, (sums.get(name) || 0n) + two.weight);
    }
    need([...sums.values()].every((sum) => !sum), "the vector is no null vector of the names");
  }
}
const active = (k) => k.activation ? ["every-activation"] : [];
// [theorems, parameters], for a kernel that tells templates apart. Without one the values are
// variables: a determinant that is not zero for softmax attention is no zero polynomial.
function separating({kernel: k, oneEnd}) {
  if (!k) return [[oneEnd ? "positive-definite" : "no-cls"], "generic"];
  need(k.normalised && k.beta !== "0" && k.gamma !== "0" && !k.constant,
    "the kernel does not separate");
  return [[k.main && oneEnd ? "positive-definite" : "no-cls", ...active(k)],
    "every beta, gamma != 0"];
}

// ---- Kinds: [subject, keys, optional keys, check], and check says what it proved as
// [statement, parameters ("these" if none), theorems]. "Rational" is a Matrix over ZZ or QQ. ----

const KINDS = {
  // A determinant that is not zero modulo a prime, at a point, is not zero. An unknown coefficient
  // of a series over QQ may have no residue: there the order must lie within what is known.
  "nonsingular": ["Matrix", "prime point residue valuation generic",
    "modulus inverse frame orders", (c, M) => {
    const {name, variable, precision, bottom} = M.ring, series = name === "series";
    square(M);
    need(name !== "balls", "balls have a kind of their own");
    const p = prime(c.prime), point = pointOf(c.point, M.ring), frame = c.frame !== undefined;
    const generic = series || scope(M.ring) === "generic";
    need(c.generic === generic, "generic is not what the ring says");
    need(frame === (c.orders !== undefined) && (series || !frame),
      "frame and orders are for series, together");
    if (frame) residueIs(c, framed(c, M, p, point));
    else {
      const {F, rows} = image(M, p, point), found = determinant(F, rows, precision);
      residueIs(c, found);
      need(!series || bottom !== "QQ" || found.order < precision,
        "the order is beyond the precision");
    }
    checkInverse(c, M);
    const det = `det${frame ? " of the combined rows" : ""} = ${c.residue}`;
    const higher = series ? ` ${variable}^${c.valuation} + higher orders,` : "";
    return [`nonsingular ${generic ? "for generic" : "at these"} parameters: `
      + `${det}${higher} modulo ${c.prime}${point.at}`,
      generic ? "generic" : "these"];
  }],

  // Rows of I - A M have sums below 1 for every M in the balls, so A M and M are invertible. All is
  // counted in units of 2^low over the denominator of A.
  "nonsingular-balls": ["Matrix", "bits inverse", "", (c, M) => {
    square(M);
    need(M.ring.name === "balls" && c.bits === String(M.ring.bits),
      "the matrix has no balls of these bits");
    const inverse = matrixOf(c.inverse, ["QQ"], M.r, M.r), A = integers(inverse);
    const cells = M.rows.flat();
    const twos = cells.flatMap(({e, s}) => [Number(e), Number(s)]);
    const [low, high] = [Math.min, Math.max].map((f) => twos.reduce((x, y) => f(x, y), 0));
    store(cells.length * (high - low) / 64);
    const [middles, radii] = [(x) => x.m << x.e - BigInt(low), (x) => x.r << x.s - BigInt(low)].map(
      (part) => transpose(M.rows.map((row) => row.map(part)), M.r));
    const middle = timesTransposed(A, middles), one = clear(inverse) << BigInt(-low);
    const around = timesTransposed(A.map((row) => row.map(abs)), radii);
    need(middle.every((row, i) => total(
      row.map((x, j) => abs((i === j ? one : 0n) - x) + around[i][j])) < one),
      "a row's sum reaches 1");
    return ["nonsingular: an approximate inverse serves every matrix in the balls"];
  }],

  // A vector that is not zero is mapped to zero, over a ring without zero divisors.
  "singular": ["", "null", "", (c, S) => {
    const N = matrixOf(c.null, null, S.rows.length, 1), k = S.kernel;
    const statement = (n) => `singular: a null vector with ${n} nonzero entries`;
    if (S.ring) {
      square(S);
      need(!["series", "balls"].includes(S.ring.name), "a vector does not decide series or balls");
      const vector = mapped(N, S);
      need(nonzero(vector), "the null vector is zero");
      annihilates(S, vector);
      return [statement(nonzero(vector)), scope(S.ring)];
    }
    const n = nonzero(N);
    need(RATIONAL.includes(N.ring.name) && n, "the null vector is zero or not rational");
    annihilatesNames(S, integers(N).flat());
    const theorems = !k || k.constant ? []
      : !k.normalised ? (k.activation ? [] : ["normalisation-needed"])
      : k.gamma === "0" ? [S.oneEnd ? "gamma-zero-rank" : "no-cls-types"] : [];
    const value = (x) => x === null ? "any" : `= ${x}`;
    const parameters = k ? `beta ${value(k.beta)}, gamma ${value(k.gamma)}` : "every";
    return [`K_tau of ${S.name} is ${statement(n)}`, parameters, theorems];
  }],

  // The minor says that the rank is no less. The null vectors are independent, as each has an entry
  // of its own among the free columns, and say that it is no more.
  "rank": ["Matrix", "rank rows columns prime point residue null", "modulus inverse", (c, M) => {
    need(!["series", "balls"].includes(M.ring.name), "series and balls have no such rank");
    const rank = small(c.rank, 0, Math.min(M.r, M.c), "the rank"), p = prime(c.prime);
    const [rows, columns] = [[c.rows, M.r], [c.columns, M.c]].map(([places, n]) =>
      list(places, "places").map((i) => small(i, 0, n - 1, "a place")));
    need([rows, columns].every((places) => places.length === rank && distinct(places)),
      "rows and columns are not distinct, as many as the rank");
    const N = mapped(matrixOf(c.null, null, M.c, M.c - rank), M), taken = new Set(columns);
    const free = N.rows.filter((_, j) => !taken.has(j));
    need(free.every((row, l) => row.every((cell, k) => !cell.length === (l !== k))),
      "the null vectors have not one free column each");
    const minor = (whole) => rows.map((i) => columns.map((j) => whole[i][j]));
    const {F, rows: residues} = image(M, p, pointOf(c.point, M.ring));
    residueIs(c, determinant(F, minor(residues)));
    checkInverse(c, withTerms(M.ring, rank, rank, minor(M.rows)));
    annihilates(M, N);
    const statement = `rank ${rank}: a nonzero minor modulo ${c.prime} and a null space basis`;
    return [statement, scope(M.ring)];
  }],

  // A symmetric matrix whose diagonal outweighs the rest of each row is positive definite; so is
  // one that is congruent to it, and so is a Gram matrix plus it, over a positive number.
  "positive-definite": ["Rational", "", "factor scale gram", (c, M) => {
    const rows = symmetric(M), denominator = clear(M), factor = c.factor !== undefined;
    need(factor || c.gram !== undefined, "neither factor nor gram is given");
    need((c.scale === undefined) === (c.gram === undefined), "scale and gram come together");
    if (factor) {
      const F = transpose(integers(matrixOf(c.factor, RATIONAL, M.r, M.r)), M.r);
      dominant(timesTransposed(F, timesTransposed(F, rows)));
    }
    if (c.gram !== undefined) {
      const scale = integer(c.scale), given = matrixOf(c.gram, ["ZZ"], null, M.r);
      const G = transpose(integers(given), M.r);
      need(scale > 0n, "the scale is not positive");
      const gram = timesTransposed(G, G);
      dominant(rows.map((row, i) => row.map((x, j) => scale * x - denominator * gram[i][j])));
    }
    return [factor ? "positive definite: a congruent matrix is strictly diagonally dominant"
      : "positive definite: a multiple is a Gram matrix plus a strictly diagonally dominant one"];
  }],

  // For a positive definite matrix v^T M v would be positive.
  "not-positive-definite": ["Rational", "direction", "", (c, M) => {
    const rows = symmetric(M), v = transpose(integers(matrixOf(c.direction, RATIONAL, M.r, 1)), 1);
    need(v[0].some((x) => x), "the direction is zero");
    need(timesTransposed(v, timesTransposed(v, rows))[0][0] <= 0n, "v^T M v is positive");
    return ["not positive definite: a vector v with v^T M v <= 0"];
  }],

  // A second best permutation has zero slacks too: from each row it moves to the row that owns the
  // new column, always forward in the order, and never round a cycle. So it moves none.
  "unique-assignment": ["Rational", "assignment order rows columns", "", (c, M) => {
    const [best, order] = [c.assignment, c.order].map((x) => permutation(x, M.r));
    const slack = slacks(c, M, [best]), owner = [], place = [];
    best.forEach((j, i) => { owner[j] = i; });
    order.forEach((i, k) => { place[i] = k; });
    need(slack.every((row, i) => row.every(
      (x, j) => x || owner[j] === i || place[i] < place[owner[j]])),
      "a zero slack goes back in the order");
    const which = best.every((j, i) => j === i) ? "identity" : "one";
    return [`unique maximum: the ${which} permutation beats every other`];
  }],

  // Both permutations reach the bound that slacks put on all.
  "tied-assignment": ["Rational", "first second rows columns", "", (c, M) => {
    const [one, two] = [c.first, c.second].map((x) => permutation(x, M.r));
    need(one.some((j, i) => j !== two[i]), "the two permutations are the same");
    slacks(c, M, [one, two]);
    return ["no unique maximum: two permutations reach it"];
  }],

  // M B = B D with an invertible B: in the basis of the columns of B, M is the block diagonal D.
  "block-form": ["Rational", "basis blocks repeats prime residue", "", (c, M) => {
    square(M);
    const B = matrixOf(c.basis, RATIONAL, M.r, M.r), p = prime(c.prime);
    const blocks = list(c.blocks, "blocks").map((block) => matrixOf(block, RATIONAL));
    const repeats = list(c.repeats, "repeats").map((t) => small(t, 1, 1e9, "a repeat"));
    need(blocks.every((b) => b.r === b.c && b.r) && blocks.length === repeats.length
      && blocks.reduce((sum, b, k) => sum + b.r * repeats[k], 0) === M.r,
    "the blocks do not fill the matrix");
    const D = M.rows.map(() => Array(M.r).fill(0n)), below = clear(...blocks);
    let start = 0;
    blocks.forEach((b, k) => {
      const t = repeats[k];
      b.rows.forEach((row, i) => row.forEach((cell, j) => {
        for (let u = 0; u < t; u++) D[start + i * t + u][start + j * t + u] = whole(cell);
      }));
      start += b.r * t;
    });
    const {F, rows} = image(B, p, {values: []}), basis = integers(B);
    const matrix = integers(M), above = clear(M);
    residueIs(c, determinant(F, rows));
    const left = timesTransposed(matrix, transpose(basis, M.r));
    const right = timesTransposed(basis, transpose(D, M.r));
    need(left.every((row, i) => row.every((x, j) => x * below === right[i][j] * above)),
      "M B is not B D");
    const parts = blocks.map(
      (b, k) => `${b.r} x ${b.r} (${repeats[k]} time${repeats[k] === 1 ? "" : "s"})`);
    return [`block diagonal in a basis: ${parts.join(", ")}`];
  }],

  // P(t + c) has real roots only, so by Descartes as many are positive as its coefficients change
  // sign: fewer than `place` eigenvalues exceed c = n/d. All is times d and the denominator of M.
  "trace-bound": ["Rational", "place dimension trace", "", (c, M) => {
    square(M);
    const place = small(c.place, 1, M.r, "the place"), dimension = integer(c.dimension);
    const trace = rational(c.trace);
    need(dimension >= 1n, "the dimension is not positive");
    const below = trace.d * BigInt(place) * dimension, common = gcd(trace.n, below);
    const n = trace.n / common, d = below / common, shift = n * clear(M);
    const A = integers(M).map((row) => row.map((x) => x * d)), columns = transpose(A, M.r);
    const P = [1n], sums = [], size = longest(A.flat());
    afford(M.r ** 4 * costOf(size, size * M.r / 2));
    // Newton: the coefficients from the traces of powers.
    for (let k = 1, power = A; k <= M.r; k++) {
      sums.push(total(power.map((row, i) => row[i])));
      P.push(-total(sums.map((s, i) => s * P[k - 1 - i])) / BigInt(k));
      if (k < M.r) power = timesTransposed(power, columns);
    }
    needRealRoots(P);
    spend(M.r ** 2 * costOf(words(shift), longest(P) + M.r * words(shift)));
    for (let end = M.r; end > 0; end--) for (let i = 1; i <= end; i++) P[i] += shift * P[i - 1];
    const signs = P.filter((x) => x).map((x) => x > 0n);
    const larger = signs.filter((x, i) => i && x !== signs[i - 1]).length;
    need(larger < place, `${larger} eigenvalues are larger`);
    return [`eigenvalue ${place} of the block is at most ${d === 1n ? n : `${n}/${d}`} = `
      + `${c.trace} / (${place} * ${dimension})`];
  }],

  // C_ii + C_jj - 2 C_ij is a squared distance of features: groups that were apart stay apart, and
  // two rows of one group part exactly where it is positive.
  "stage": ["Rational", "before after", "", (c, M) => {
    const C = symmetric(M);
    const [before, after] = [c.before, c.after].map((x) => list(x, "groups").map(integer));
    need(before.length === M.r && after.length === M.r, "there is not one group per row");
    need(C.every((row, i) => row.slice(0, i).every((x, j) => {
      const gap = row[i] + C[j][j] - 2n * x, same = after[i] === after[j];
      return before[i] !== before[j] ? !same : gap >= 0n && same === (gap === 0n);
    })), "two rows are grouped wrongly");
    const [from, to] = [before, after].map((groups) => new Set(groups.map(String)).size);
    return [`separates ${from} groups of templates into ${to}`];
  }],

  // One point tells all templates apart, so their features are independent: see `separated`.
  "one-point": ["Templates", "xi y", "", (c, T) => {
    const [theorems, where] = separating(T);
    separated(T.rows, T, c);
    const proved = T.kernel ? `is positive definite for ${where}`
      : "with generic values is nonsingular";
    return [`K_tau of ${T.name} ${proved}: distinct exponents at one point`, where, theorems];
  }],

  // A relation between features is one between the columns q^exponent over all points. Their
  // determinant is not zero modulo the prime at q = base, so it is not zero at a transcendental q.
  "modular-points": ["Templates", "prime base points residue", "", (c, T) => {
    const [theorems] = separating(T), p = prime(c.prime), F = field(p);
    const base = F.of(integer(c.base));
    need(T.kernel && T.kernel.main, "modular points are for the main scale");
    need(base !== F.zero, "the base is zero modulo the prime");
    const points = integers(matrixOf(c.points, ["ZZ"], T.rows.length, T.length + T.tokens));
    residueIs(c, determinant(F, points.map((point) => {
      const xi = point.slice(0, T.length), y = point.slice(T.length);
      pointFits(T, xi, y);
      spend(100 * F.cost * T.rows.length);
      return T.rows.map((row) => F.power(base, mod(exponent(row, xi, y), p - 1n)));
    })));
    const where = "gamma != 0, algebraic beta^2 != 0";
    return [`K_tau of ${T.name} is nonsingular for ${where}: det != 0 mod ${c.prime}`,
      where, theorems];
  }],

  // Equivalent templates have equal rows, and one of each class are independent by the point.
  "template-rank": ["Templates", "rank xi y", "", (c, T) => {
    const [theorems, where] = separating(T), rows = T.rows.map(canonicalRow);
    const unlike = [...new Map(rows.map((row) => [row.join(), row])).values()];
    need(integer(c.rank) === BigInt(unlike.length), `${unlike.length} templates are inequivalent`);
    separated(unlike, T, c);
    const proved = T.kernel ? `has rank ${c.rank} for ${where}`
      : `with generic values has rank ${c.rank}`;
    return [`K_tau of ${T.name} ${proved}: as many inequivalent templates`, where, theorems];
  }],

  // Without positions a template is seen by its type, and not at all without tokens; the theorems
  // say that different types with a token are independent.
  "type-rank": ["Templates", "rank", "", (c, {kernel: k, ...T}) => {
    const types = T.rows.map(typeOf), visible = types.filter((type) => type.tokens.size);
    need(k && k.normalised && k.beta !== "0" && k.gamma === "0" && (k.main || T.oneEnd)
      && (!k.activation || !k.constant && visible.length === types.length),
    "the kernel does not count types");
    const count = new Set(visible.map((type) => type.key)).size;
    need(integer(c.rank) === BigInt(count), `${count} types have a token`);
    return [`K_tau of ${T.name} has rank ${c.rank} at gamma = 0 for every beta != 0: `
      + "as many types with a token",
      "gamma = 0, every beta != 0", [T.oneEnd ? "gamma-zero-rank" : "no-cls-types", ...active(k)]];
  }],

  // Scores r = M key are 1 on the first s rows, weights base^(d (r - 1)), and one more token has score
  // and value 0. The output less the mean is linear in the signs: its largest value is the sum of the
  // absolute values of its coefficients. All powers are times n^most m^most, the base being n/m.
  "head-computes": ["Rational", "sparsity length key denominator base counts error", "", (c, M) => {
    const s = small(c.sparsity, 1, M.r, "the sparsity"), d = integer(c.denominator);
    const counts = list(c.counts, "counts").map(integer), {n, d: m} = rational(c.base);
    need(d >= 1n && n > 0n && counts.every((x) => x >= 1n), "a number is not positive");
    need(M.r === s + counts.length, "there is not one count for each class");
    need(integer(c.length) === BigInt(s) + total(counts), "the counts do not add up");
    const key = matrixOf(c.key, RATIONAL, M.c, 1), below = clear(M) * clear(key);
    const scores = timesTransposed(M.rows.map((row) => row.map(whole)),
      transpose(key.rows.map((row) => row.map(whole)), 1)).map((row) => row[0]);
    need(scores.slice(0, s).every((x) => x === below), "a score is not 1");
    const steps = [...scores.slice(s), 0n].map((x) => d * (x - below));
    need(steps.every((x) => x % below === 0n), "a power is not whole");
    const powers = steps.map((x) => x / below);
    const most = powers.reduce((top, x) => abs(x) > top ? abs(x) : top, 0n);
    const long = longest([n, m]) * 64;
    need(most <= 1048576n && Number(most) * long <= 4194304, "too large to be checked here");
    const size = Number(most) * long / 64 + longest(counts) + 1;
    store(4 * size * powers.length);
    spend(8 * (powers.length + 4) * costOf(size, size));
    const weights = powers.map((x, i) => (counts[i] ?? 1n) * n ** (most + x) * m ** (most - x));
    const off = total(weights.slice(0, -1)), last = weights[weights.length - 1];
    const unit = n ** most * m ** most, error = rational(c.error);
    need((2n * off + last) * error.d === (BigInt(s) * unit + off + last) * error.n,
      "the error is another");
    return [`a head of attention computes the mean of ${s} of ${c.length} signs with error at most `
      + `${c.error}, attained`];
  }],

  // The permutation fixes every sample and takes one test to the other, and the list of starts does
  // not change when the columns of the first layer are permuted so. Each network is trained; equal
  // outputs at the first test and, from the permuted start, at the second are equal laws.
  "equivariant-training": ["Rational",
    "permutation tests widths starts rate momentum decay batch error", "activation", (c, M) => {
      const size = M.c - 1, rows = fractions(M), batch = small(c.batch, 1, 1e9, "the batch");
      const images = list(c.permutation, "the permutation").map(
        (x) => small(x, 0, size - 1, "an image"));
      need(size > 0 && images.length === size && distinct(images), "it is not a permutation");
      need(M.r % batch === 0, "there is not a whole number of batches");
      const hidden = list(c.widths, "widths").map((x) => small(x, 1, 1e7, "a width"));
      const sizes = [size, ...hidden, 1], layers = sizes.slice(1).map((n, i) => [sizes[i], n]);
      const count = layers.reduce((sum, [a, b]) => sum + a * b, 0);
      const tests = fractions(matrixOf(c.tests, RATIONAL, 2, M.c));
      const starts = matrixOf(c.starts, RATIONAL, undefined, count), networks = fractions(starts);
      need(starts.r > 0, "there are no starts");
      let phi = null;
      if (c.activation !== undefined) [phi] = fractions(matrixOf(c.activation, RATIONAL, 1));
      need(!phi || 0 < phi.length && phi.length <= 16, "an activation has at most 16 coefficients");
      const [rate, momentum, decay] = [c.rate, c.momentum, c.decay].map(rational);
      const moved = (row) => {
        const result = [...row];
        images.forEach((image, j) => { result[image] = row[j]; });
        return result;
      };
      const columnsMoved = (row) => [...Array(sizes[1]).keys()].flatMap(
        (i) => moved(row.slice(i * size, (i + 1) * size))).concat(row.slice(size * sizes[1]));
      // The output at an input and the derivatives of its squared error, last layer first.
      const run = (weights, row) => {
        let at = 0, x = row.slice(0, -1), z;
        const kept = layers.map(([before, after]) => {
          const W = [...Array(after).keys()].map(
            (i) => weights.slice(at + i * before, at + (i + 1) * before));
          at += before * after;
          z = W.map((line) => sumOf(line.map((w, j) => times(w, x[j]))));
          const layer = {W, x, slopes: z.map((a) => slopeOf(phi, a))};
          x = z.map((a) => valueOf(phi, a));
          return layer;
        });
        let back = [times({n: 2n, d: 1n}, minus(z[0], row[size]))], slopes = [];
        for (let n = kept.length - 1; n >= 0; n--) {
          const {W, x: got} = kept[n];
          slopes = back.flatMap((d) => got.map((a) => times(d, a))).concat(slopes);
          if (n) back = kept[n - 1].slopes.map(
            (slope, j) => times(slope, sumOf(W.map((line, i) => times(back[i], line[j])))));
        }
        return {output: z[0], slopes};
      };
      const trained = (start) => {
        let weights = start, speeds = start.map(() => ZERO);
        for (let n = 0; n < M.r; n += batch) {
          const found = rows.slice(n, n + batch).map((row) => run(weights, row).slopes);
          speeds = speeds.map((speed, j) => sumOf([times(momentum, speed),
            times({n: 1n, d: BigInt(batch)}, sumOf(found.map((slopes) => slopes[j]))),
            times(decay, weights[j])]));
          weights = weights.map((w, j) => minus(w, times(rate, speeds[j])));
        }
        return tests.map((row) => run(weights, row).output);
      };
      const same = (a, b) => a.every((x, j) => x.n === b[j].n && x.d === b[j].d);
      const spelling = (row) => row.map(({n, d}) => `${n}/${d}`).join();
      need(rows.every((row) => same(row, moved(row))), "a sample is moved");
      need(same(moved(tests[0]).slice(0, size), tests[1]), "a test is not moved to the other");
      const names = networks.map(spelling), others = networks.map(columnsMoved).map(spelling);
      need([...names].sort().join(";") === [...others].sort().join(";"),
        "the starts are not a union of orbits");
      const outputs = new Map();
      names.forEach((name, i) => {
        if (!outputs.has(name)) outputs.set(name, trained(networks[i]));
      });
      const all = names.map((name) => outputs.get(name));
      need(all.every(([x], i) => same([x], [outputs.get(others[i])[1]])), "the outputs differ");
      const errors = [0, 1].map((i) => times({n: 1n, d: BigInt(starts.r)}, sumOf(all.map((x) => {
        const off = minus(x[i], tests[i][size]);
        return times(off, off);
      }))));
      const larger = minus(errors[0], errors[1]).n > 0n ? errors[0] : errors[1];
      need(same([larger], [rational(c.error)]), "the error is another");
      const apart = minus(tests[0][size], tests[1][size]);
      const least = times({n: 1n, d: 4n}, times(apart, apart));
      return [`the outputs at two inputs have the same law over ${starts.r} trained networks: one `
        + `of the two expected squared errors is ${c.error}, at least `
        + (least.d === 1n ? `${least.n}` : `${least.n}/${least.d}`)];
    }],

  // K of two strings is the entry of M at their patterns, but for equal strings and for those that
  // meet; number n is the new string. The weights solve (K + ridge) a = k(x), so that every c with
  // (K + ridge) c = y predicts c . k(x) = y . a.
  "ridge-prediction": ["Rational", "patterns own column ridge labels weights prediction",
    "meetings", (c, M) => {
      square(M);
      const N = fractions(M), same = (x, y) => x.n === y.n && x.d === y.d, r = M.r;
      need(N.every((row, i) => row.every((x, j) => same(x, N[j][i]))), "M is not symmetric");
      const at = list(c.patterns, "patterns").map((x) => small(x, 0, r - 1, "a pattern"));
      const n = at.length, ridge = rational(c.ridge);
      need(n > 0, "there are no strings");
      need(ridge.n >= 0n, "the ridge is negative");
      const vector = (value, size) => fractions(matrixOf(value, RATIONAL, size, 1)).map(([x]) => x);
      const own = vector(c.own, r), column = vector(c.column, r);
      const labels = vector(c.labels, n), a = vector(c.weights, n);
      const met = c.meetings === undefined ? []
        : fractions(matrixOf(c.meetings, RATIONAL, undefined, 3));
      const sums = Array(r).fill(ZERO);
      at.forEach((p, i) => { sums[p] = plus(sums[p], a[i]); });
      const through = N.map((row) => sumOf(row.map((x, q) => times(x, sums[q]))));
      const left = at.map((p, i) => minus(plus(through[p],
        times(minus(plus(ridge, own[p]), N[p][p]), a[i])), column[p]));
      let before = -1;
      for (const [x, y, value] of met) {
        need(x.d === 1n && y.d === 1n && 0n <= x.n && x.n < y.n && y.n <= BigInt(n),
          "a meeting is not of two strings");
        const i = Number(x.n), j = Number(y.n), place = i * (n + 1) + j;
        need(before < place, "the meetings are not in order");
        before = place;
        if (j === n) {
          left[i] = minus(left[i], minus(value, column[at[i]]));
          continue;
        }
        const more = minus(value, N[at[i]][at[j]]);
        left[i] = plus(left[i], times(more, a[j]));
        left[j] = plus(left[j], times(more, a[i]));
      }
      need(left.every((x) => x.n === 0n), "the weights do not solve the system");
      need(same(sumOf(labels.map((y, i) => times(y, a[i]))), rational(c.prediction)),
        "the prediction is another");
      return [`ridge regression on ${n} strings with ${r} patterns and ridge ${c.ridge} predicts `
        + c.prediction];
    }],

  // The cases of a claim, or one that fails: nothing but symbench can go through them again.
  "exhausted": ["claim", "claim parameters count digest"],
  "counterexample": ["claim", "claim case reason"],
};

// ---- Files ----

function checkDocument(doc) {
  fields(doc, "format writer kind title note about statement parameters theorems exactness "
    + "certificate subject digest");
  need(doc.format === "symbench certificate 2", "the format is not \"symbench certificate 2\"");
  for (const key of "writer kind title note statement parameters exactness digest".split(" ")) {
    string(doc[key], key);
  }
  need(doc.writer.startsWith("symbench "), "the writer is not symbench");
  need(isObject(doc.about), "about is not an object");
  for (const value of Object.values(doc.about)) string(value, "an entry of about");
  const {digest, ...rest} = doc;
  need(digest === sha256(canonical(rest)), "the digest does not fit the text");
  need(Object.hasOwn(KINDS, doc.kind), `the kind ${show(doc.kind)} is unknown`);
  const [subject, keys, optional, check] = KINDS[doc.kind];
  const c = fields(doc.certificate, keys, optional);
  if (!check) {
    const {claim} = fields(doc.subject, "claim");
    string(c.claim, "the claim");
    for (const item of list(doc.theorems, "theorems")) {
      Object.values(fields(item, "claim page")).forEach((value) => string(value, "a theorem"));
    }
    const statement = `${doc.kind} of ${show(string(claim, "the claim"))}`;
    return {status: "re-run", statement, theorems: [],
      reason: "format and digest are right, and only symbench can go through the cases again"};
  }
  const {type, data} = fields(doc.subject, "type data"), isMatrix = type === "Matrix";
  need(isMatrix || type === "Templates", "the subject's type is unknown");
  need(!subject || isMatrix === (subject !== "Templates"), `${doc.kind} is not about ${type}`);
  const [statement, parameters = "these", names = []] = check(c,
    isMatrix ? matrixOf(data, subject === "Rational" && RATIONAL) : templatesOf(data));
  const exactness = doc.kind === "nonsingular-balls" ? "ball" : "exact";
  const page = (name) => `proofs/symbench/${name === "no-cls-types" ? "no-cls" : name}.md`;
  const theorems = names.map((name) => ({claim: `symbench.${name}`, page: page(name)}));
  for (const [key, value] of Object.entries({statement, parameters, exactness, theorems})) {
    need(canonical(doc[key]) === canonical(value), `${key} should be ${canonical(value)}`);
  }
  return {status: "checked", statement, theorems, reason: ""};
}

// Each certificate is checked; that it is the certificate of its case is for symbench to say.
function checkBundle(text, head) {
  const lines = text.split("\n");
  fields(head, "format writer claim parameters");
  need(lines.pop() === "" && lines.length > 1, "the bundle is incomplete");
  const tail = fields(parseJson(lines.pop()), "status cases certified digest");
  need(string(head.writer, "writer").startsWith("symbench "), "the writer is not symbench");
  need(["holds", "fails", "undecided"].includes(tail.status), "the bundle's status is no verdict");
  need(tail.digest === sha256(lines.join("\n") + "\n"),
    "the bundle's digest does not fit its lines");
  const results = lines.slice(1).map((line, i) => {
    try {
      const {certificate} = fields(parseJson(line), "case certificate");
      return certificate === null ? null : checkDocument(certificate);
    } catch (error) { throw new Bad(`case ${i + 1}: ${error.message}`); }
  });
  const given = results.filter((x) => x !== null), cases = results.length;
  need(cases > 0, "a bundle without cases");
  need(tail.cases === String(cases) && tail.certified === String(given.length),
    "the bundle's counts do not fit");
  const checked = given.filter((x) => x.status === "checked").length, rest = cases - checked;
  return {status: rest ? "re-run" : "checked",
    statement: `bundle of ${show(string(head.claim, "the claim"))}: `
      + `${checked} of ${cases} cases have checked certificates`,
    theorems: [...new Map(given.flatMap((x) => x.theorems).map((x) => [x.claim, x])).values()],
    reason: rest ? `only symbench can go through the other ${rest} again` : ""};
}

function checkCertificate(text) {
  try {
    need(typeof text === "string", "the file is not UTF-8");
    budget = 2e10 + 2000 * text.length;
    let first = null;
    try { first = parseJson(text.split("\n", 1)[0]); } catch { /* then it is no bundle */ }
    const bundle = isObject(first) && first.format === "symbench bundle 1";
    return bundle ? checkBundle(text, first) : checkDocument(parseJson(text));
  } catch (error) { // whatever it is, such as an integer too long for the machine: no proof
    const reason = String(error && error.message).slice(0, 500);
    return {status: "BAD", statement: "", theorems: [], reason};
  }
}
// The digest of a document without one, for a page that writes a document of its own.
checkCertificate.digest = (document) => sha256(canonical(document));
globalThis.checkCertificate = checkCertificate;

function main(paths) {
  if (!paths.length) console.error("usage: node check_certificate.js FILE...");
  const codes = paths.map((path) => {
    let text;
    try {
      text = require("fs").readFileSync(path);
    } catch (error) {
      console.error(`${path}: unreadable: ${error.message}`);
      return 2;
    }
    try {
      text = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(text);
    } catch { text = null; }
    const {status, statement, theorems, reason} = checkCertificate(text);
    const rests = theorems.length
      && `rests on ${theorems.map((x) => `${x.claim} (${x.page})`).join(", ")}`;
    const told = [statement, reason, rests].filter((part) => part).join("; ");
    console.log(`${path}: ${status}: ${told}`);
    return {"checked": 0, "re-run": 3, "BAD": 1}[status];
  });
  return [1, 2, 3].find((code) => codes.includes(code)) || (paths.length ? 0 : 2);
}
if (typeof module !== "undefined" && module.exports) {
  module.exports = {checkCertificate};
  if (require.main === module) process.exitCode = main(process.argv.slice(2));
}
})();
