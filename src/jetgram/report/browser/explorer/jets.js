// The jet in view and all that is known of its nodes. Positions and momenta come from Python.
// The files of this folder share one scope; the page has them one after the other: jets, views, controls, gestures.

const SVG = "http://www.w3.org/2000/svg";
const PT_DECADES = 3; // what the colours of the pT share span
const MARGIN = { left: 46, right: 10, top: 6, bottom: 6 };
const PRINTED = { tree: [430, 340], plane: [290, 340] }; // CSS pixels on paper
const MAX_ZOOM = 40;
const darkScheme = matchMedia("(prefers-color-scheme: dark)");

const root = document.querySelector(".explorer");
const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
const find = (selector) => root.querySelector(selector);
const treeSvg = find(".tree svg");
const planeSvg = find(".plane svg");
const listbox = find(".options");
const select = find(".colouring select");

const state = { jet: 0, topology: data.start, colouring: 0, node: null, hover: null, printing: false, grabbed: false };
const view = { k: 1, x: 0, y: 0, width: 1, height: 1 };
let shown = null; // the tree on the screen, see `readTree`

const jet = () => data.jets[state.jet];
const topology = () => data.topologies[state.topology];
const colouring = () => topology().colourings[state.colouring];

/** The tree in view with all that is known of its nodes; leaves first, the root last. */
function readTree() {
  const tree = jet().trees[colouring().tree];
  const leaves = jet().frames[tree.frame];
  const count = leaves.pt.length;
  const both = (name) => leaves[name].concat(tree[name]);
  const nodes = { x: tree.x, y: leaves.pt.map(() => data.foot).concat(tree.y) };
  for (const name of ["pt", "eta", "phi", "m"]) nodes[name] = both(name);
  const children = (node) => (node < count ? [] : tree.children.slice(2 * (node - count), 2 * (node - count) + 2));
  const total = nodes.pt.length;
  const parent = new Array(total).fill(-1);
  const depth = new Array(total).fill(0);
  for (let node = total - 1; node >= count; node--) {
    for (const child of children(node)) {
      parent[child] = node;
      depth[child] = depth[node] + 1;
    }
  }
  const model = colouring().model;
  const values = model === null ? nodes.pt.map(ptShade) : jet().importance[model].map((value) => value / 1000);
  return { ...nodes, count, total, frame: data.frames[tree.frame], children, parent, depth, values, model, root: total - 1, jet: state.jet, tree: colouring().tree };

  function ptShade(pt) {
    return Math.min(1, Math.max(0, 1 + Math.log10(pt / nodes.pt[total - 1]) / PT_DECADES));
  }
}

function branch(node) {
  const found = [];
  const open = [node];
  while (open.length) {
    const next = open.pop();
    found.push(next);
    open.push(...shown.children(next));
  }
  return found;
}

const leavesOf = (node) => branch(node).filter((each) => each < shown.count);

const digits = (value, count) => Number(value.toPrecision(count)).toLocaleString("en", { maximumSignificantDigits: count });
const signed = (value) => (Math.abs(value) < 0.005 ? 0 : value).toFixed(2).replace("-", "−");

function factsOf(node) {
  const { pt, eta, phi, m } = shown;
  const energy = Math.hypot(pt[node] * Math.cosh(eta[node]), m[node]);
  const size = leavesOf(node).length;
  const kind = node === shown.root ? "whole jet" : node < shown.count ? `particle ${node}` : "branch";
  const facts = [
    ["node", kind],
    ["pT", `${digits(pt[node], 3)} GeV`],
    ["η", signed(eta[node])],
    ["φ", signed(phi[node])],
    ["m", `${digits(m[node], 3)} GeV`],
    ["E", `${digits(energy, 3)} GeV`],
    ["leaves", String(size)],
    ["share of pT", `${digits((100 * pt[node]) / pt[shown.root], 2)} %`],
  ];
  if (shown.model !== null) facts.push(["importance", shown.values[node].toFixed(3)]);
  return facts;
}

const shades = () => data.shades[darkScheme.matches && !state.printing ? "dark" : "light"];

function colour(value) {
  const stops = shades();
  const place = value * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  const channel = (stop, i) => parseInt(stop.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mix = [0, 1, 2].map((i) => {
    const from = channel(stops[low], i);
    return Math.round(from + (place - low) * (channel(stops[low + 1], i) - from));
  });
  return `rgb(${mix.join(",")})`;
}
