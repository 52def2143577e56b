// The two views of a jet: its tree, and its constituents in the plane of eta and phi.

function element(name, attributes = {}, ...content) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

const placeX = (x) => MARGIN.left + ((x + 0.7) / (shown.count + 0.4)) * (view.width - MARGIN.left - MARGIN.right);
const placeY = (y) => MARGIN.top + (1 - y) * (view.height - MARGIN.top - MARGIN.bottom);

function sizeOf(selector, printed) {
  const box = find(selector);
  return state.printing ? printed : [box.clientWidth, box.clientHeight];
}

function drawTree() {
  [view.width, view.height] = sizeOf(".tree", PRINTED.tree);
  treeSvg.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
  treeSvg.setAttribute("aria-label", `${topology().title} tree of the jet`);
  const order = [...Array(shown.total).keys()].sort(
    (a, b) => (a < shown.count) === (b < shown.count) ? shown.pt[a] - shown.pt[b] : a < shown.count ? -1 : 1
  );
  const hardest = Math.max(...shown.pt.slice(0, shown.count));
  const world = element("g", { class: "world", role: "presentation" }, ...order.map((node) => nodeElement(node, hardest)));
  treeSvg.replaceChildren(world, element("g", { class: "axis", "aria-hidden": "true" }));
  applyView();
}

function nodeElement(node, hardest) {
  const isLeaf = node < shown.count;
  const x = placeX(shown.x[node]);
  const y = placeY(shown.y[node]);
  const above = shown.parent[node];
  const start = above < 0 ? `M${x} ${placeY(1)}` : `M${placeX(shown.x[above])} ${placeY(shown.y[above])}H${x}`;
  const line = `${start}V${y}`;
  const width = 0.7 + Math.sqrt(shown.pt[node] / shown.pt[shown.root]) * (isLeaf ? 1.6 : 4.2);
  const ink = colour(shown.values[node]);
  const made = element(
    "g",
    {
      class: "node",
      "data-node": node,
      role: "treeitem",
      tabindex: node === state.node ? 0 : -1,
      "aria-level": shown.depth[node] + 1,
      "aria-label": factsOf(node).map((fact) => fact.join(" ")).join(", "),
    },
    element("path", { class: "ring", d: `M${x} ${y}h.01` }),
    element("path", { class: "hit", d: line }),
    element("path", { d: line, stroke: ink, "stroke-width": width.toFixed(2) }),
    element("path", { class: "dot", d: `M${x} ${y}h.01`, stroke: ink, "stroke-width": isLeaf ? 3 : 3 + width })
  );
  if (isLeaf) made.append(bar(node, x, y, hardest, ink));
  return made;
}

function bar(node, x, y, hardest, ink) {
  const step = placeX(1) - placeX(0);
  const height = Math.max((shown.pt[node] / hardest) * (placeY(0.02) - placeY(data.foot)), 1.5);
  return element("rect", { x: x - 0.4 * step, y, width: 0.8 * step, height, fill: ink });
}

function applyView() {
  view.k = Math.min(Math.max(view.k, 1), MAX_ZOOM);
  view.x = Math.min(0, Math.max(view.x, view.width * (1 - view.k)));
  view.y = Math.min(0, Math.max(view.y, view.height * (1 - view.k)));
  treeSvg.querySelector(".world").setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
  find(".tree").classList.toggle("zoomed", view.k > 1);
  drawAxis();
}

function drawAxis() {
  const axis = treeSvg.querySelector(".axis");
  const backdrop = element("rect", { class: "backdrop", width: MARGIN.left - 4, height: view.height, opacity: 0.85 });
  const title = element("text", { transform: `translate(12 ${view.height / 2}) rotate(-90)`, "text-anchor": "middle" }, data.scale);
  const ticks = jet().axis.flatMap(([height, label]) => {
    const y = view.y + view.k * placeY(height);
    if (y < 8 || y > view.height - 4) return [];
    return [
      element("text", { x: MARGIN.left - 9, y: y + 4, "text-anchor": "end" }, label),
      element("line", { x1: MARGIN.left - 6, x2: MARGIN.left, y1: y, y2: y }),
    ];
  });
  axis.replaceChildren(backdrop, title, ...ticks);
}

function drawPlane() {
  const [width, height] = sizeOf(".plane", PRINTED.plane);
  const pad = { left: 52, right: 8, top: 8, bottom: 38 };
  const across = width - pad.left - pad.right;
  const upward = height - pad.top - pad.bottom;
  const centre = [shown.eta[shown.root], shown.phi[shown.root]];
  const leaves = [...Array(shown.count).keys()];
  const reach = 1.06 * Math.max(1, ...leaves.flatMap((i) => [Math.abs(shown.eta[i] - centre[0]), Math.abs(shown.phi[i] - centre[1])]));
  const scale = Math.min(across, upward) / (2 * reach); // the same for both axes
  const x = (eta) => pad.left + across / 2 + (eta - centre[0]) * scale;
  const y = (phi) => pad.top + upward / 2 - (phi - centre[1]) * scale;
  const discs = leaves
    .sort((a, b) => shown.pt[b] - shown.pt[a])
    .map((leaf) => {
      const r = Math.max(1.6, 0.09 * Math.min(across, upward) * Math.sqrt(shown.pt[leaf] / shown.pt[shown.root]));
      const place = { cx: x(shown.eta[leaf]).toFixed(1), cy: y(shown.phi[leaf]).toFixed(1), r: r.toFixed(1) };
      return element("circle", { class: "disc", "data-node": leaf, fill: colour(shown.values[leaf]), ...place });
    });
  const cross = element("path", { d: `M${x(centre[0]) - 6} ${y(centre[1])}h12m-6 -6v12`, stroke: "currentColor", fill: "none", opacity: 0.6 });
  planeSvg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  planeSvg.setAttribute("aria-label", `The ${shown.count} constituents in the plane of pseudorapidity and azimuth`);
  planeSvg.replaceChildren(planeAxis(), ...discs, cross);

  function planeAxis() {
    const steps = reach > 2.5 ? 1 : 0.5;
    const marks = (middle, half) => {
      const found = [];
      for (let t = Math.ceil((middle - half) / steps); t * steps <= middle + half; t++) found.push(t * steps);
      return found;
    };
    const end = height - pad.bottom;
    const vertical = marks(centre[0], across / 2 / scale).flatMap((eta) => [
      element("line", { x1: x(eta), x2: x(eta), y1: pad.top, y2: end }),
      element("text", { x: x(eta), y: end + 14, "text-anchor": "middle" }, String(eta).replace("-", "−")),
    ]);
    const horizontal = marks(centre[1], upward / 2 / scale).flatMap((phi) => [
      element("line", { x1: pad.left, x2: width - pad.right, y1: y(phi), y2: y(phi) }),
      element("text", { x: pad.left - 6, y: y(phi) + 4, "text-anchor": "end" }, String(phi).replace("-", "−")),
    ]);
    const titles = [
      element("text", { x: pad.left + across / 2, y: height - 7, "text-anchor": "middle" }, "pseudorapidity η"),
      element("text", { transform: `translate(12 ${pad.top + upward / 2}) rotate(-90)`, "text-anchor": "middle" }, "azimuth φ [rad]"),
    ];
    return element("g", { class: "axis", "aria-hidden": "true" }, ...vertical, ...horizontal, ...titles);
  }
}

/** Show what is known of the node under the pointer, or of the current one, and mark its branch in both views. */
function mark() {
  const node = state.hover ?? state.node;
  const inside = new Set(branch(node));
  for (const svg of [treeSvg, planeSvg]) {
    svg.classList.toggle("marked", node !== shown.root);
    for (const each of svg.querySelectorAll("[data-node]")) {
      const number = Number(each.dataset.node);
      each.classList.toggle("on", inside.has(number));
      each.classList.toggle("current", number === node && node !== shown.root);
      if (svg === treeSvg) each.setAttribute("tabindex", number === state.node ? 0 : -1);
    }
  }
  find(".facts").replaceChildren(
    ...factsOf(node).map(([name, value]) => {
      const [term, text, pair] = ["dt", "dd", "div"].map((tag) => document.createElement(tag));
      term.textContent = name;
      text.textContent = value;
      pair.append(term, text);
      return pair;
    })
  );
}
