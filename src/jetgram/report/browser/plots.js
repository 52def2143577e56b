"use strict";
// Draws the panels of the page with plotly, in the colours of the reader's scheme, and lets the legend switch models.
(() => {
  const darkScheme = matchMedia("(prefers-color-scheme: dark)");
  const coarse = matchMedia("(pointer: coarse)"); // fingers scroll the page; they do not draw boxes
  const PRINTED = { width: 335, height: 290 }; // CSS pixels: two beside each other fit on A4 and Letter
  const drawn = []; // {plot, spec}

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function transparent(colour, share) {
    const channels = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return `rgba(${channels.join(",")},${share})`;
  }

  function themed(trace, scheme, ink) {
    const colour = trace.meta && trace.meta[scheme];
    if (!colour) return trace;
    if (trace.type === "heatmap") return { ...trace, colorscale: colour, colorbar: { ...trace.colorbar, outlinewidth: 0, tickcolor: ink } };
    if (trace.fill) return { ...trace, fillcolor: transparent(colour, 0.16) };
    const parts = { line: { ...trace.line, color: colour } };
    if (trace.error_y) parts.error_y = { ...trace.error_y, color: colour };
    if (trace.marker) parts.marker = { ...trace.marker, color: colour };
    return { ...trace, ...parts };
  }

  /** The sample and its energy above the plot's left end: the buttons come up over the right one. */
  function annotations(spec, faint) {
    if (!spec.sample) return [];
    const place = { xref: "paper", yref: "paper", x: 0, y: 1, xanchor: "left", yanchor: "bottom", showarrow: false };
    return [{ ...place, text: spec.sample, font: { size: 11, color: faint } }];
  }

  function layoutOf(spec, printing) {
    const [ink, faint, line, card] = printing
      ? ["#22252a", "#555555", "#d8d8d8", "#ffffff"]
      : ["--ink", "--faint", "--line", "--card"].map(css);
    const axis = { color: faint, gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true };
    return {
      ...spec.layout,
      xaxis: { ...axis, ...spec.layout.xaxis },
      yaxis: { ...axis, ...spec.layout.yaxis },
      font: { family: "system-ui, sans-serif", size: 13, color: ink },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      hoverlabel: { bgcolor: card, bordercolor: line, font: { color: ink }, namelength: -1 },
      margin: { l: 8, r: 10, t: spec.sample ? 20 : 6, b: 8 },
      annotations: annotations(spec, faint),
      showlegend: false,
      dragmode: coarse.matches ? false : "zoom",
      autosize: !printing,
      ...(printing ? PRINTED : {}),
    };
  }

  function draw({ plot, spec }, printing = false) {
    const scheme = darkScheme.matches && !printing ? "dark" : "light";
    const hidden = plot.hidden_models || new Set();
    const ink = printing ? "#22252a" : css("--ink");
    const traces = spec.data.map((trace) => ({ ...themed(trace, scheme, ink), visible: !hidden.has(trace.legendgroup) }));
    const buttons = [["zoom2d", "pan2d", "resetScale2d", "toImage"]]; // none that would send anything anywhere
    const config = { responsive: true, displaylogo: false, displayModeBar: !coarse.matches && "hover", modeBarButtons: buttons };
    return Plotly.react(plot, traces, layoutOf(spec, printing), config);
  }

  /** Let the lines of all other models fade, or of none. */
  function emphasise(panels, model) {
    for (const { plot, spec } of panels) {
      const opacity = spec.data.map((trace) => (model === null || trace.legendgroup === model ? 1 : 0.12));
      Plotly.restyle(plot, { opacity });
    }
  }

  function connect(group) {
    const panels = [...group.querySelectorAll(".plot")].map((plot) => ({
      plot,
      spec: JSON.parse(plot.parentElement.querySelector("script").textContent),
    }));
    const boxes = [...group.querySelectorAll(".legend input")];
    const update = () => {
      const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.model));
      for (const panel of panels) {
        panel.plot.hidden_models = hidden;
        draw(panel);
      }
    };
    group.querySelector(".legend")?.addEventListener("change", update);
    for (const box of boxes) {
      const label = box.closest("label");
      for (const type of ["pointerenter", "focusin"]) label.addEventListener(type, () => emphasise(panels, box.dataset.model));
      for (const type of ["pointerleave", "focusout"]) label.addEventListener(type, () => emphasise(panels, null));
    }
    for (const button of group.querySelectorAll("[data-show]")) {
      button.addEventListener("click", () => {
        for (const box of boxes) box.checked = button.dataset.show === "all";
        update();
      });
    }
    group.classList.add("ready");
    update();
    drawn.push(...panels);
  }

  document.querySelectorAll(".plots").forEach(connect);
  for (const folded of document.querySelectorAll("details")) {
    folded.addEventListener("toggle", () => drawn.filter(({ plot }) => folded.contains(plot)).forEach((panel) => draw(panel)));
  }
  darkScheme.addEventListener("change", () => drawn.forEach((panel) => draw(panel)));
  addEventListener("beforeprint", () => drawn.forEach((panel) => draw(panel, true)));
  addEventListener("afterprint", () => drawn.forEach((panel) => draw(panel)));
})();
