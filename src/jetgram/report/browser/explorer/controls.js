// What stands around the views: the list, the switches, the headline and the scale of colours.

const scoreName = () => (colouring().model in jet().scores ? colouring().model : Object.keys(jet().scores)[0]);
const scoreOf = (each) => (scoreName() === undefined ? "" : each.scores[scoreName()].toFixed(3));

function drawList() {
  listbox.replaceChildren(
    ...data.jets.map((each, i) => {
      const option = document.createElement("div");
      option.className = "option";
      option.id = `explorer-jet-${i}`;
      option.dataset.jet = i;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", i === state.jet);
      for (const text of [each.class, scoreOf(each), each.pt.toFixed(0), each.mass.toFixed(0)]) {
        const cell = document.createElement("span");
        cell.textContent = text + " ";
        option.append(cell);
      }
      return option;
    })
  );
  listbox.setAttribute("aria-activedescendant", `explorer-jet-${state.jet}`);
  const chosen = listbox.children[state.jet];
  if (chosen.offsetTop < listbox.scrollTop) listbox.scrollTop = chosen.offsetTop;
  const end = chosen.offsetTop + chosen.offsetHeight;
  if (end > listbox.scrollTop + listbox.clientHeight) listbox.scrollTop = end - listbox.clientHeight;
}

function drawSwitches() {
  find("output").textContent = `${state.jet + 1} of ${data.jets.length}`;
  find(`input[value="${state.topology}"]`).checked = true;
  select.replaceChildren(
    ...topology().colourings.map(({ model }, i) => {
      const option = document.createElement("option");
      option.value = i;
      option.selected = i === state.colouring;
      option.textContent = model === null ? "share of pT" : `importance for ${model}`;
      return option;
    })
  );
}

function drawHeadline() {
  const { number, pt, mass, count } = jet();
  const score = scoreName() === undefined ? "" : `, score ${scoreOf(jet())} (${scoreName()})`;
  const depth = Math.max(...shown.depth);
  find(".headline").textContent =
    `Jet ${number}: ${jet().class}${score}. As found: pT ${pt.toFixed(1)} GeV, mass ${mass.toFixed(1)} GeV, ${count} constituents. ` +
    (shown.frame === "as found" ? "" : `As read (${shown.frame}): pT ${shown.pt[shown.root].toFixed(1)} GeV, ` +
    `mass ${shown.m[shown.root].toFixed(1)} GeV, ${shown.count} leaves. `) +
    `${topology().title} tree, depth ${depth}.`;
}

/** The current node of the tree that was shown before, if the new one has it: any of the same tree, a leaf of the same jet. */
function sameNode(before) {
  if (before === null || before.jet !== shown.jet) return null;
  const kept = before.tree === shown.tree || (state.node < before.count && before.count === shown.count);
  return kept ? state.node : null;
}

function draw() {
  const before = shown;
  const inTree = treeSvg.contains(document.activeElement);
  shown = readTree();
  state.node = sameNode(before) ?? shown.root;
  state.hover = null;
  drawTree();
  drawPlane();
  drawScale();
  drawSwitches();
  drawHeadline();
  drawList();
  mark();
  if (inTree) focusNode();
}

function goToJet(number) {
  state.jet = Math.min(Math.max(number, 0), data.jets.length - 1);
  Object.assign(view, { k: 1, x: 0, y: 0 });
  draw();
}

function goToTopology(number) {
  const model = colouring().model;
  state.topology = number;
  state.colouring = Math.max(0, topology().colourings.findIndex((each) => each.model === model && model !== null));
  Object.assign(view, { k: 1, x: 0, y: 0 });
  draw();
}

function goToNode(node) {
  state.node = node;
  state.hover = null;
  mark();
  focusNode();
  keepInSight(node);
}

function focusNode() {
  treeSvg.querySelector(`[data-node="${state.node}"]`).focus({ preventScroll: true });
}

function drawScale() {
  const byPt = shown.model === null;
  find(".scale .low").textContent = byPt ? "0.1 %" : "0";
  find(".scale .high").textContent = byPt ? "100 %" : "1";
  find(".scale .bar").style.background = `linear-gradient(90deg, ${shades().join(",")})`;
  find(".scale .what").textContent = byPt
    ? "colour: share of the jet's pT" + (topology().colourings.length > 1 ? "" : "; no model was trained on this topology")
    : `colour: importance for ${shown.model}, relative to the jet's largest`;
}
