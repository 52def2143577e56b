// How a mouse, fingers and keys move through jets and trees.

function zoomAt(factor, x, y) {
  const k = factor === 0 ? 1 : Math.min(Math.max(view.k * factor, 1), MAX_ZOOM);
  view.x = x - (k / view.k) * (x - view.x);
  view.y = y - (k / view.k) * (y - view.y);
  view.k = k;
  applyView();
}

function zoomAtNode(factor) {
  zoomAt(factor, view.x + view.k * placeX(shown.x[state.node]), view.y + view.k * placeY(shown.y[state.node]));
}

function pan(dx, dy) {
  view.x += dx;
  view.y += dy;
  applyView();
}

function keepInSight(node) {
  const x = view.x + view.k * placeX(shown.x[node]);
  const y = view.y + view.k * placeY(shown.y[node]);
  const inside = (value, low, high) => Math.min(Math.max(value, low), high);
  pan(inside(x, MARGIN.left + 15, view.width - 15) - x, inside(y, 15, view.height - 15) - y);
}

const pointers = new Map();

function local(event) {
  const box = treeSvg.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function onPointerMove(event) {
  if (!pointers.has(event.pointerId)) return;
  const before = [...pointers.values()];
  const [oldX, oldY] = pointers.get(event.pointerId);
  const [x, y] = local(event);
  pointers.set(event.pointerId, [x, y]);
  if (pointers.size === 1) {
    pan(x - oldX, y - oldY);
  } else if (pointers.size === 2) {
    const after = [...pointers.values()];
    const gap = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    const [from, to] = [middle(before), middle(after)];
    pan(to[0] - from[0], to[1] - from[1]);
    zoomAt(gap(after) / gap(before), ...to);
  }
}

function walk(key) {
  const node = state.node;
  const row = [...Array(shown.total).keys()].filter((each) => each < shown.count === node < shown.count);
  row.sort((a, b) => shown.x[a] - shown.x[b]);
  const place = row.indexOf(node);
  const steps = {
    ArrowUp: shown.parent[node],
    ArrowDown: shown.children(node)[0],
    ArrowLeft: row[place - 1],
    ArrowRight: row[place + 1],
    Home: shown.root,
  };
  return steps[key] >= 0 ? steps[key] : node;
}

function onTreeKey(event) {
  const arrows = { ArrowUp: [0, 40], ArrowDown: [0, -40], ArrowLeft: [40, 0], ArrowRight: [-40, 0] };
  if (event.shiftKey && event.key in arrows) pan(...arrows[event.key]);
  else if (event.key in arrows || event.key === "Home") goToNode(walk(event.key));
  else return;
  event.preventDefault();
}

/** Whether a key is for the explorer: the focus is in it, or nowhere while it is on the screen. */
function isAddressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === select) return false;
  if (root.contains(event.target)) return true;
  const box = find(".desk").getBoundingClientRect();
  return event.target === document.body && box.bottom > 0 && box.top < innerHeight;
}

function onKey(event) {
  if (!isAddressed(event)) return;
  if (event.target === document.body && !event.shiftKey && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
    return onTreeKey(event); // up and down scroll the page until the tree has the focus
  }
  const actions = {
    n: () => goToJet(state.jet + 1),
    p: () => goToJet(state.jet - 1),
    "+": () => zoomAtNode(1.5),
    "=": () => zoomAtNode(1.5),
    "-": () => zoomAtNode(1 / 1.5),
    0: () => zoomAt(0, 0, 0),
  };
  if (!(event.key in actions)) return;
  actions[event.key]();
  event.preventDefault();
}

function onListKey(event) {
  const last = data.jets.length - 1;
  const steps = { ArrowDown: state.jet + 1, ArrowUp: state.jet - 1, Home: 0, End: last, PageDown: state.jet + 8, PageUp: state.jet - 8 };
  if (!(event.key in steps)) return;
  goToJet(steps[event.key]);
  event.preventDefault();
}

const nodeUnder = (event) => {
  const found = event.target.closest("[data-node]");
  return found === null ? null : Number(found.dataset.node);
};

function listen() {
  document.addEventListener("keydown", onKey);
  for (const button of root.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => goToJet(state.jet + Number(button.dataset.step)));
  }
  for (const button of root.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoomAtNode(Number(button.dataset.zoom)));
  }
  let pointed = false; // a topology is picked by a pointer: arrows walk its tree; from the keyboard they go on switching
  find(".topologies").addEventListener("click", (event) => {
    pointed = event.detail > 0 && event.target.matches("input");
    if (pointed) focusNode();
  });
  find(".topologies").addEventListener("change", (event) => {
    goToTopology(Number(event.target.value)); // comes after the click
    if (pointed) focusNode();
  });
  find(".topologies").addEventListener("keydown", (event) => {
    if (event.key === "Enter") focusNode();
  });
  select.addEventListener("change", () => {
    state.colouring = Number(select.value);
    draw();
  });
  listbox.addEventListener("keydown", onListKey);
  listbox.addEventListener("click", (event) => {
    const option = event.target.closest(".option");
    if (option) goToJet(Number(option.dataset.jet));
  });
  for (const svg of [treeSvg, planeSvg]) {
    svg.addEventListener("pointerover", (event) => {
      if (pointers.size) return;
      state.hover = nodeUnder(event);
      mark();
    });
    svg.addEventListener("pointerleave", () => {
      state.hover = null;
      mark();
    });
    svg.addEventListener("click", (event) => goToNode(nodeUnder(event) ?? (svg === treeSvg ? state.node : shown.root)));
  }
  treeSvg.addEventListener("keydown", onTreeKey);
  treeSvg.addEventListener("focusin", (event) => {
    const node = nodeUnder(event);
    if (node !== null && node !== state.node) goToNode(node);
  });
  treeSvg.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, local(event));
    state.grabbed = true;
  });
  treeSvg.addEventListener("focusout", (event) => {
    if (!treeSvg.contains(event.relatedTarget)) state.grabbed = false;
  });
  treeSvg.addEventListener("pointermove", onPointerMove);
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, (event) => pointers.delete(event.pointerId));
  treeSvg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !state.grabbed) return; // the page scrolls
      event.preventDefault();
      zoomAt(Math.exp(-event.deltaY / 400), ...local(event));
    },
    { passive: false }
  );
  new ResizeObserver(() => {
    const box = find(".tree");
    if (!state.printing && box.clientWidth && (box.clientWidth !== view.width || box.clientHeight !== view.height)) draw();
  }).observe(find(".tree"));
  darkScheme.addEventListener("change", draw);
  for (const [type, printing] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(type, () => {
      state.printing = printing;
      draw();
    });
  }
}

root.classList.add("ready");
draw();
listen();
