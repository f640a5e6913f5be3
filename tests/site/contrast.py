"""Whether the words and marks of a page stand out from what is below them: questions for a walk, each a list of faults."""

COLOURS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const paper = element => {
    if (!element) return [255, 255, 255, 1];
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, paper(element.parentElement));
  };
  const luminance = ([r, g, b]) => [[r, .2126], [g, .7152], [b, .0722]].reduce((sum, [c, weight]) => {
    c /= 255;
    return sum + weight * (c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  }, 0);
  const contrast = (ink, ground) => {
    const [a, b] = [over(ink, ground), ground].map(luminance).sort((x, y) => y - x);
    return (a + .05) / (b + .05);
  };
"""

# Words with a contrast below 4.5.
FAINT_WORDS = COLOURS + """
  // What a figure paints below a letter: its halo, or else the shapes that are drawn before it.
  const shapes = new Map();
  const filled = svg => shapes.get(svg) ?? shapes.set(svg, [...svg.querySelectorAll("path, rect, circle, ellipse, polygon")]
    .map(shape => ({ shape, style: getComputedStyle(shape), place: shape.getScreenCTM()?.inverse() }))
    .filter(({ shape, style, place }) => place && style.fill !== "none" && style.visibility === "visible"
      && shape.getClientRects().length))  // to checkVisibility, a shape of a group without a display is visible
    .get(svg);
  const painted = (text, style, letter, below) => {
    if (style.stroke !== "none" && style.paintOrder.startsWith("stroke")) return over(rgba(style.stroke), below);
    const { x, y, width, height } = text.getExtentOfChar(letter);
    const at = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(text.getScreenCTM());
    return filled(text.ownerSVGElement).reduce((ground, { shape, style: { fill, fillOpacity, opacity }, place }) => {
      const before = shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (!before || !shape.isPointInFill(at.matrixTransform(place))) return ground;
      const colour = rgba(fill);
      return over([...colour.slice(0, 3), colour[3] * fillOpacity * opacity], ground);
    }, below);
  };
  const grounds = (element, style) => {
    const below = paper(element), letters = element.getNumberOfChars?.() ?? 0;
    const sampled = letters ? [0, letters >> 1, letters - 1] : [];
    return sampled.length ? sampled.map(letter => painted(element, style, letter, below)) : [below];
  };
  const low = new Set();
  const walker = document.createTreeWalker(document.querySelector("article, body"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.data.trim().slice(0, 30);
    if (!words || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest("title, desc, annotation, .headerlink, .visually-hidden") || !element.getClientRects().length) continue;
    const style = getComputedStyle(element), ink = rgba(element.closest("svg") ? style.fill : style.color);
    for (const ground of grounds(element, style)) {
      const found = contrast(ink, ground);
      if (found < 4.5) low.add(`${element.tagName}.${element.getAttribute("class")} "${words}" ${found.toFixed(2)}`);
    }
  }
  return [...low];
}"""

# Shapes of figures, drawings and calculators whose line and fill both have a contrast below 3, or whose class has no line.
FAINT_MARKS = COLOURS + """
  // These only help the eye: grids, tints behind something, areas of the paper's colour, and a measurement's spread.
  const EYE = "[class*=s-grid], [class*=f-grid], [class*=paper], [class^='t-'], [class*=' t-'], polygon[fill-opacity], " +
    "defs *, .hf-strip line, .hf-roofs line";
  const low = new Set();
  for (const shape of document.querySelectorAll("article svg :is(path, line, polyline, rect, circle, ellipse, polygon)")) {
    const style = getComputedStyle(shape), [stroke, fill] = ["stroke", "fill"].map(what => {
      const [r, g, b, a] = style[what] === "none" ? [0, 0, 0, 0] : rgba(style[what]);
      return [r, g, b, a * style[`${what}Opacity`] * style.opacity];
    });
    const told = shape.outerHTML.slice(0, 80);
    if (/(^| )s-/.test(shape.getAttribute("class")) && style.stroke === "none") low.add(`${told} has no line`);
    if (stroke[3] + fill[3] === 0 || style.visibility !== "visible" || !shape.getClientRects().length) continue;
    if (shape.matches(EYE)) continue;
    const ground = paper(shape.ownerSVGElement), found = Math.max(contrast(stroke, ground), contrast(fill, ground));
    if (found < 3) low.add(`${told} ${found.toFixed(2)}`);
  }
  return [...low];
}"""
